/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `make soak` runs besides the everyday tests: the crowd whose threads are moved between CPUs
 * at random. The word soak=SEED chooses how; each run in one boot goes on from where the last
 * ended.
 */
#include "kernel/base/boot_word.h"
#include "kernel/time/clock.h"
#include "tests/kernel/selftest.h"
#include "lib/number.h"
#include "tests/kernel/evcnt_crowd.h"

BOOT_WORD(soak, "soak", "SEED", "a number that the random moves of `selftest soak` begin with");

static uint32_t next_seed(void)
{
    static uint32_t seed;
    const char *word = boot_word_value("soak");
    uint64_t value;

    if (seed == 0) {
        if (!word || parse_u64(word, 0, &value) != 0)
            value = clock_now();
        seed = (uint32_t)value;
    }
    seed = seed * 1664525 + 1013904223; /* Numerical Recipes' generator */
    return seed | 1;
}

static int soak_move(bool listed)
{
    uint32_t seed = next_seed();
    struct crowd_result r;

    if (evcnt_crowd(&(struct crowd_plan){50000, listed, false, seed}, &r) != 0)
        return 1;
    return selftest_note("%lu raised, %u by timers, %u by calls, %u moves", (unsigned long)r.raised,
                         r.strikes, r.calls, r.moves);
}

SELFTEST_ONLY_NAMED(soak_moved, "soak-moved", "evcnt-crowd with threads that are moved at random")
{
    return soak_move(false);
}

SELFTEST_ONLY_NAMED(soak_listed, "soak-listed", "evcnt-listed with threads moved at random")
{
    return soak_move(true);
}
