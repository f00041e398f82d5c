/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Four mutants whose fate is known, for the test of `make mutants` itself: the self-test looks at
 * one field and never at the other. Linked into the mutants' image only.
 */
#include <stdint.h>
#include "tests/kernel/selftest.h"

struct planted {
    uint64_t events, ignored;
};

static __attribute__((noinline)) void count(struct planted *planted)
{
    planted->events++;
    planted->ignored++;
}

SELFTEST(mutant_planted, "mutant-planted", "what make mutants has to find, and what it cannot")
{
    struct planted planted = {.events = 0, .ignored = 0};

    for (unsigned i = 0; i < 3; i++)
        count(&planted);
    SELFTEST_EQUAL(planted.events, 3);
    return 0;
}
