/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that give counters back, or end, while or after the system has taken some. */
#include "stats/pmc/pmu_owner.h"

#include "stats/pmc/pmc_private.h"
#include "tests/host/between.h"
#include "tests/host/pmc_check.h"

#include <quipu_host.h>
#include <stddef.h>

static const struct pmu_owner taker = {.name = "taker", .rank = PMU_RANK_SYSTEM, .system = true};
static struct pmc_counter_cfg cycles = {HOST_PMU_CYCLES, 0, 0};
static struct pmu_refusal refusal;
static struct lwp a, b;

static void start(void)
{
    host_pmu_attach(
        &(struct host_pmu){.counters = 2, .width = 32, .interrupts = true, .swaps = true});
    a = b = (struct lwp){0};
    host_pmu_switch(0, &a);
}

static void count_on(struct lwp *l)
{
    GIVES(pmc_configure_counter(l, 0, &cycles), 0);
    GIVES(pmc_enable_counter(l, 0), 0);
}

static void take_and_give(enum pmu_how how)
{
    GIVES(pmc_take(&taker, 1, &cycles, how, &refusal), 0);
    GIVES(pmc_give(&taker, 0), 0);
}

/* They do not run meanwhile, and are not told before; and who stops counting later leaves its
 * register to nobody. */
TEST(pmu_owners_end_with_threads_that_were_not_told)
{
    start();
    count_on(&a);
    count_on(&b);
    host_pmu_switch(0, NULL);
    take_and_give(PMU_BY_FORCE);
    pmc_process_exit(&a);
    GIVES(pmc_release_counter(&b, 0), 0);
    count_on(&a);
    host_pmu_switch(0, &a);
    host_pmu_switch(0, NULL);
    CHECK(host_pmu_running(0, 0)); /* it may come back */
    GIVES(pmc_disable_counter(&a, 0), 0);
    host_pmu_tick(0);
    CHECK(!host_pmu_running(0, 0));
    GIVES(pmc_release_counter(&a, 0), 0);
    take_and_give(PMU_IF_FREE);
}

static bool kept;

/* Once the released counter stands still, the system is granted the other one. */
static void grant_the_other(void)
{
    const struct pmu_owner *losers[PMC_COUNTERS_MAX];

    kept = kept || pmc_system.leaving[0] != 0;
    if (!kept || pmc_system.leaving[0] != 0)
        between_locks(grant_the_other);
    else
        GIVES(pmu_owner_take(&taker, 2, &cycles, PMU_IF_FREE, losers, &refusal), 0);
}

TEST(pmu_owners_last_release_leaves_no_user)
{
    start();
    count_on(&a);
    kept = false;
    between_locks(grant_the_other);
    GIVES(pmc_release_counter(&a, 0), 0);
    CHECK(pmc_kernel_has(1) && a.l_pmc == NULL);
    pmu_owner_settled(2);
    GIVES(pmc_give(&taker, 1), 0);
    host_pmu_tick(0);
    CHECK(!host_pmu_active(0));
}
