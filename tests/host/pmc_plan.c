/* SPDX-License-Identifier: BSD-2-Clause */
/* pmc(9): which threads are switched between without stopping their counters. */
#include <sys/pmc.h>

#include "stats/pmc/pmc_private.h"
#include "tests/host/between.h"
#include "tests/host/pmc_check.h"

#include <quipu_host.h>

static const struct {
    pmc_evid_t first, second; /* 0: no second counter */
} events[] = {
    {HOST_PMU_CYCLES, 0},
    {HOST_PMU_INSTRUCTIONS, 0},
    {HOST_PMU_CYCLES, HOST_PMU_CYCLES},
    {HOST_PMU_CYCLES, HOST_PMU_INSTRUCTIONS},
    {HOST_PMU_INSTRUCTIONS, HOST_PMU_CYCLES},
    {HOST_PMU_INSTRUCTIONS, HOST_PMU_INSTRUCTIONS},
};

/* More than there are places for plans; no two are alike. */
#define PLANS  (PMC_MODE_ALL * sizeof events / sizeof *events)
#define ROUNDS 3u

static struct lwp threads[ROUNDS][PLANS];

static void count(struct lwp *l, int ctr, pmc_evid_t event, uint32_t modes)
{
    struct pmc_counter_cfg cfg = {event, 0, modes};

    GIVES(pmc_configure_counter(l, ctr, &cfg), 0);
    GIVES(pmc_enable_counter(l, ctr), 0);
}

static void begin(struct lwp *l, unsigned plan)
{
    *l = (struct lwp){0};
    count(l, 0, events[plan / PMC_MODE_ALL].first, plan % PMC_MODE_ALL + 1);
    if (events[plan / PMC_MODE_ALL].second != 0)
        count(l, 1, events[plan / PMC_MODE_ALL].second, PMC_MODE_ALL);
    host_pmu_switch(0, l); /* is planned */
}

TEST(pmc_plans_are_shared_by_those_alone_that_count_the_same)
{
    unsigned shared = 0;

    host_pmu_attach(
        &(struct host_pmu){.counters = 2, .width = 32, .interrupts = true, .swaps = true});
    for (unsigned plan = 0; plan < PLANS; plan++)
        for (unsigned round = 0; round < 2; round++)
            begin(&threads[round][plan], plan);
    for (unsigned plan = 0; plan < PLANS; plan++)
        begin(&threads[2][plan], plan);
    for (unsigned plan = 0; plan < PLANS; plan++) {
        CHECK(threads[0][plan].l_pmc_plan != 0);
        /* Nothing else was planned in between. */
        CHECK_EQUAL(threads[0][plan].l_pmc_plan, threads[1][plan].l_pmc_plan);
        for (unsigned other = 0; other < PLANS; other++) {
            bool same = threads[2][other].l_pmc_plan == threads[0][plan].l_pmc_plan;

            CHECK(other == plan ||
                  (!same && threads[0][other].l_pmc_plan != threads[0][plan].l_pmc_plan));
            shared += same;
        }
    }
    /* Some were there still, and some were not: others had come since. */
    CHECK(shared > 0 && shared < PLANS);
    host_pmu_switch(0, NULL);
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned plan = 0; plan < PLANS; plan++)
            pmc_process_exit(&threads[round][plan]);
}

static const struct pmu_owner taker = {.name = "taker", .rank = PMU_RANK_SYSTEM, .system = true};
static struct lwp first, second;

/* Two that count the same; the first one runs. */
static void begin_two(void)
{
    host_pmu_attach(
        &(struct host_pmu){.counters = 2, .width = 32, .interrupts = true, .swaps = true});
    first = second = (struct lwp){0};
    count(&second, 0, HOST_PMU_CYCLES, PMC_MODE_ALL);
    count(&first, 0, HOST_PMU_CYCLES, PMC_MODE_ALL);
    host_pmu_switch(0, &second);
    host_pmu_switch(0, &first);
}

static void end_two(void)
{
    host_pmu_switch(0, NULL);
    pmc_process_exit(&first);
    pmc_process_exit(&second);
}

/* The first is told of the system's taking and runs before the second, of the same plan, which is
 * not. */
TEST(pmc_plans_end_with_a_taking)
{
    struct pmc_counter_cfg cfg = {HOST_PMU_CYCLES, 0, PMC_MODE_ALL};
    uint64_t value;

    begin_two();
    host_pmu_switch(0, &second);
    host_pmu_count(0, 0, 5);
    host_pmu_switch(0, &first);
    CHECK(first.l_pmc_plan != 0 && first.l_pmc_plan == second.l_pmc_plan);
    for (unsigned round = 0; round < ROUNDS; round++) {
        GIVES(pmc_take(&taker, 1, &cfg, PMU_BY_FORCE, NULL), 0);
        CHECK(first.l_pmc_plan == 0);
        GIVES(pmc_give(&taker, 0), 0);
        count(&first, 0, HOST_PMU_CYCLES, PMC_MODE_ALL);
        CHECK(first.l_pmc_plan != 0 && first.l_pmc_plan != second.l_pmc_plan);
    }
    host_pmu_switch(0, &second);
    host_pmu_count(0, 0, 700);
    GIVES(pmc_get_counter_value(&second, 0, 0, &value), 0);
    GIVES(value, 5);
    GIVES(pmc_generation(&second), 2); /* it had one to lose */
    end_two();
}

static unsigned locks;

/* The taking is under way, and no CPU has been asked: what counts goes on. */
static void switch_at_the_grant(void)
{
    if (pmc_system.kernel_mask == 0) {
        between_locks(switch_at_the_grant);
        return;
    }
    locks++;
    host_pmu_count(0, 0, 10);
    host_pmu_switch(0, &second);
    host_pmu_count(0, 0, 3);
}

TEST(pmc_plans_hold_until_the_cpu_is_asked)
{
    struct pmc_counter_cfg cfg = {HOST_PMU_CYCLES, 0, PMC_MODE_ALL};
    uint64_t value;

    begin_two();
    locks = 0;
    between_locks(switch_at_the_grant);
    GIVES(pmc_take(&taker, 1, &cfg, PMU_BY_FORCE, NULL), 0);
    GIVES(locks, 1);
    host_pmu_count(0, 0, 500);
    host_pmu_switch(0, &first);
    host_pmu_count(0, 0, 7000);
    GIVES(pmc_get_counter_value(&first, 0, 0, &value), 0);
    GIVES(value, 10);
    GIVES(pmc_get_counter_value(&second, 0, 0, &value), 0);
    GIVES(value, 3);
    GIVES(pmc_get_counter_value(NULL, 0, 0, &value), 0);
    GIVES(value, 7500);
    GIVES(pmc_give(&taker, 0), 0);
    end_two();
}

TEST(pmc_plans_come_back_after_a_profile)
{
    struct pmc_counter_cfg cfg = {HOST_PMU_CYCLES, 1000, PMC_MODE_ALL};

    begin_two();
    GIVES(pmc_start_profiling(1, &cfg), 0);
    CHECK(first.l_pmc_plan == 0);
    host_pmu_switch(0, &second);
    CHECK(second.l_pmc_plan == 0);
    GIVES(pmc_stop_profiling(1), 0);
    host_pmu_tick(0);
    CHECK(second.l_pmc_plan != 0);
    host_pmu_switch(0, &first);
    CHECK(first.l_pmc_plan != 0 && first.l_pmc_plan == second.l_pmc_plan);
    end_two();
}
