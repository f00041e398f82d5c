/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of who called a sampled function: by what code calls, kept or looked through each time. */
#include "kernel/pmc/pmc_callers.h"
#include "tests/kernel/selftest.h"

#define CALLEE(name, calls)                                                                        \
    static __attribute__((noinline, noclone)) void callers_##name(void)                            \
    {                                                                                              \
        calls;                                                                                     \
        __asm__ volatile("" : : : "memory"); /* no jump to the last, no function without effect */ \
    }

CALLEE(deep, )
CALLEE(shared, )
CALLEE(first, callers_shared())
CALLEE(second, callers_deep(); callers_shared())
CALLEE(third, )
CALLEE(top, callers_first(); callers_second(); callers_first(); callers_third())

#define AT(name) ((uintptr_t)callers_##name)

/* Where the callers of FUNCTION begin in CHAIN of two; BETWEEN as it is expected. */
static int find_in(const uintptr_t *chain, uintptr_t function, uintptr_t between)
{
    uintptr_t found = 1;
    int at = pmc_callers_find(function, chain, 2, &found);

    return found == between ? at : -2;
}

static int check_answers(void)
{
    const uintptr_t inner[] = {AT(third), AT(top)}, outer[] = {AT(top), AT(third)};

    for (unsigned i = 0; i < 2; i++) { /* the second time from what is kept */
        SELFTEST_EQUAL(find_in(inner, AT(first), 0), 1);
        SELFTEST_EQUAL(find_in(inner, AT(second), 0), 1);
        SELFTEST_EQUAL(find_in(outer, AT(third), 0), 2); /* it is in the chain itself */
        SELFTEST_EQUAL(find_in(outer, AT(first), 0), 0);
        SELFTEST_EQUAL(find_in(outer, AT(deep), AT(second)), 0);
        SELFTEST_EQUAL(find_in(outer, AT(shared), 0), PMC_CALLERS_UNKNOWN); /* by which of two? */
        SELFTEST_EQUAL(find_in(outer, AT(top), 0), 1);
        SELFTEST_EQUAL(find_in((uintptr_t[]){AT(first), AT(deep)}, AT(top), 0),
                       PMC_CALLERS_UNKNOWN);
    }
    return 0;
}

SELFTEST(profile_callers, "profile-callers",
         "a sampled function's callers are those whose code calls it, kept or not")
{
    int failed;

    callers_top();
    failed = check_answers();
    if (failed)
        return failed;
    pmc_callers_begin();
    failed = check_answers();
    pmc_callers_end();
    return failed;
}
