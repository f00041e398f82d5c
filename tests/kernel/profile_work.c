/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work of known proportion, for a profile to find: of every four turns of the same loop three are
 * in profile_more and one is in profile_less. tests/qemu/test_profile.py reads what the profile
 * says.
 */
#include "tests/kernel/selftest.h"

#define ROUNDS 10
#define TURNS  400000u

/* The loops have the same instructions; only their functions differ. */
static inline __attribute__((always_inline)) unsigned turn(unsigned turns)
{
    unsigned done = 0;

    __asm__("" : "+r"(turns)); /* not a constant */
    while (done < turns) {
        done++;
        __asm__ volatile("" : "+r"(done));
    }
    return done;
}

static __attribute__((noinline, noclone, no_icf)) unsigned profile_more(unsigned turns)
{
    return turn(turns);
}

static __attribute__((noinline, noclone, no_icf)) unsigned profile_less(unsigned turns)
{
    return turn(turns);
}

SELFTEST_ONLY_NAMED(profile_work, "profile-work",
                    "work for a profile: three parts in one function, one in another")
{
    unsigned done = 0;

    for (unsigned round = 0; round < ROUNDS; round++)
        done += profile_more(3 * TURNS) + profile_less(TURNS);
    SELFTEST_EQUAL(done, ROUNDS * 4 * TURNS);
    return 0;
}
