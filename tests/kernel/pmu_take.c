/* SPDX-License-Identifier: BSD-2-Clause */
/* See pmu_take.h. */
#include "tests/kernel/pmu_take.h"
#include "stats/pmc/pmc_private.h"

static const struct pmu_owner pmu_taker = {
    .name = "selftest", .rank = PMU_RANK_SYSTEM, .system = true};

int pmu_take_free(uint32_t mask, const struct pmc_counter_cfg *cfgs)
{
    const struct pmu_owner *losers[PMC_COUNTERS_MAX];
    struct pmu_refusal refusal;

    return pmu_owner_take(&pmu_taker, mask, cfgs, PMU_BY_FORCE, losers, &refusal);
}

int pmu_take_late(uint32_t mask, const struct pmc_counter_cfg *cfgs, void (*work)(void))
{
    struct pmc_state *state = curlwp->l_pmc;
    int error;

    work();
    error = pmu_take_free(mask, cfgs);
    if (error != 0)
        return error;
    work();
    curlwp->l_pmc_set->owner->tick(curlwp);
    work();
    if (pmc_state_is_behind(state))
        pmc_state_apply(pmc_cpu_here(), state);
    work();
    return 0;
}

void pmu_take_give(uint32_t mask)
{
    pmu_owner_settled(mask);
    MASK_FOREACH (n, mask) {
        (void)pmc_give(&pmu_taker, (int)n);
    }
}
