/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters of the system that are given back together: two of the same event have the same values,
 * CPU by CPU, and nobody takes one before its owner has read it.
 */
#include <sys/pmc.h>
#include "kernel/cpu/cpu.h"
#include "kernel/device/late.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "stats/pmc/pmu_class.h"
#include "stats/pmc/pmu_owner.h"
#include "tests/kernel/selftest.h"

#define GIVE_SWITCHES 0x10000u /* event context-switches of class soft */
#define GIVE_ROUNDS   20u
#define GIVE_SLEEPS   50u

static const struct pmu_owner give_giver = {
    .name = "giver", .rank = PMU_RANK_SYSTEM, .system = true};
static const struct pmu_owner give_robber = {
    .name = "robber", .rank = PMU_RANK_MODE, .system = true};

static int give_first; /* of class soft; the next one is the second */
static volatile bool give_over;
static uint64_t give_values[2][CPU_MAX];
static uint32_t give_read; /* counters, from the first on */
static unsigned give_reads, give_robbed;

static int pmu_give_find(void)
{
    const struct pmu_class *class;

    late_start();
    for (unsigned i = 0; (class = pmu_class_at(i, &give_first)) != NULL; i++)
        if (class->type == PMC_TYPE_SOFT)
            return class->counters >= 2 ? 0 : 1;
    return 1;
}

static int pmu_give_take(const struct pmu_owner *owner, uint32_t mask)
{
    static const struct pmc_counter_cfg cfgs[2] = {{GIVE_SWITCHES, 0, 0}, {GIVE_SWITCHES, 0, 0}};

    return pmc_take(owner, mask << give_first, cfgs, PMU_BY_FORCE, NULL);
}

static void pmu_give_reads(int ctr, unsigned cpu, const struct pmc_cpu_value *value)
{
    unsigned n = (unsigned)(ctr - give_first);

    give_values[n][cpu] = value->value;
    give_read |= 1u << n;
    give_reads++;
    if (pmu_give_take(&give_robber, 1u << n) != EBUSY)
        give_robbed++;
}

static uint32_t pmu_give_both(void)
{
    give_read = give_reads = give_robbed = 0;
    return pmc_give_all(&give_giver, 3u << give_first, pmu_give_reads) >> give_first;
}

static void pmu_give_yield_on(void *unused)
{
    (void)unused;
    while (!give_over)
        thread_yield();
}

/* Others switch all the while. */
static int pmu_give_check_both(void)
{
    uint64_t sum = 0;

    SELFTEST_EQUAL(pmu_give_take(&give_giver, 3), 0);
    for (unsigned i = 0; i < GIVE_SLEEPS; i++)
        thread_sleep(10000); /* a switch each */
    SELFTEST_EQUAL(pmu_give_both(), 3);
    SELFTEST_EQUAL(give_read, 3);
    SELFTEST_EQUAL(give_reads, 2 * cpu_count());
    SELFTEST_EQUAL(give_robbed, 0);
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        SELFTEST_EQUAL(give_values[0][cpu], give_values[1][cpu]);
        sum += give_values[0][cpu];
    }
    SELFTEST_CHECK(sum >= GIVE_SLEEPS);
    return 0;
}

/* The first one is gone: the second one's end is as if it were alone. */
static int pmu_give_check_robbed(void)
{
    SELFTEST_EQUAL(pmu_give_take(&give_giver, 3), 0);
    SELFTEST_EQUAL(pmu_give_take(&give_robber, 1), 0);
    SELFTEST_EQUAL(pmu_give_both(), 2);
    SELFTEST_EQUAL(give_read, 2);
    SELFTEST_EQUAL(give_reads, cpu_count());
    SELFTEST_EQUAL(pmc_give(&give_robber, give_first), 0);
    SELFTEST_EQUAL(pmu_give_both(), 0); /* nothing is left to give */
    SELFTEST_EQUAL(give_reads, 0);
    return 0;
}

SELFTEST_COUNTERS(pmu_give_all, "pmu-give-all",
                  "counters that are given back together are read before anybody has them")
{
    struct thread *thread;
    int result = 0;

    SELFTEST_EQUAL(pmu_give_find(), 0);
    give_over = false;
    SELFTEST_EQUAL(
        thread_create("yields on", THREAD_PRIORITY_NORMAL, pmu_give_yield_on, NULL, &thread), 0);
    for (unsigned i = 0; i < GIVE_ROUNDS && result == 0; i++)
        result = pmu_give_check_both();
    give_over = true;
    thread_join(thread);
    return result == 0 ? pmu_give_check_robbed() : result;
}
