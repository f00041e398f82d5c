/* SPDX-License-Identifier: BSD-2-Clause */
/* How many interrupts of counters are good in a tick: those that come in one, and in two. */
#include <arch/interrupt_flag.h>
#include "drivers/pmu_rate.h"
#include "kernel/time/clock.h"
#include "tests/kernel/selftest.h"

#define MOST 5u

/* COUNT interrupts, of which none is one too many. */
static int pmu_rate_good(struct pmu_rate *rate, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (pmu_rate_exceeded(rate, MOST))
            return selftest_fail("interrupt %u of %u is one too many", i + 1, count);
    return 0;
}

static void pmu_rate_wait(uint64_t ns)
{
    uint64_t begin = clock_now();

    while (clock_now() - begin < ns)
        ;
}

/* MOST and one more within a tick, unless the machine stood still in between. */
static int pmu_rate_burst(struct pmu_rate *rate)
{
    uint64_t begin;
    bool quiet, more;
    int result;

    do {
        uintptr_t state = interrupts_save();

        *rate = (struct pmu_rate){0};
        begin = clock_now();
        result = pmu_rate_good(rate, MOST);
        quiet = pmu_rate_is_quiet(rate);
        more = pmu_rate_exceeded(rate, MOST);
        begin = clock_now() - begin;
        interrupts_restore(state);
    } while (begin >= CLOCK_TICK_NS);
    if (result != 0)
        return result;
    SELFTEST_CHECK(quiet && more);
    return 0;
}

SELFTEST_COUNTERS(pmu_rate, "pmu-rate", "counters' interrupts that come too often, and the rest")
{
    struct pmu_rate rate;
    int result = pmu_rate_burst(&rate);

    for (unsigned tick = 0; result == 0 && tick < 2; tick++) { /* and in each of the next two */
        pmu_rate_wait(CLOCK_TICK_NS + CLOCK_TICK_NS / 10);
        SELFTEST_CHECK(!pmu_rate_is_quiet(&rate));
        result = pmu_rate_good(&rate, MOST - 1);
        SELFTEST_CHECK(!pmu_rate_is_quiet(&rate));
    }
    return result;
}
