/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers for what threads count, kept where a hash of it says. Where two that differ meet there,
 * the younger stays: threads that come to the older one then get another number, and longer
 * switches between them and those that have it. No number is ever given twice.
 */
#include "lib/hash_table.h"
#include "lib/section.h"
#include "stats/pmc/pmc_private.h"

#define PLACES 32u

struct pmc_plan {
    uint64_t number;
    uint32_t mask; /* 0: nothing is here yet */
    pmc_evid_t code[PMC_COUNTERS_MAX];
    uint32_t modes[PMC_COUNTERS_MAX];
};

/* Under the lock. */
static SHARED_BSS struct pmc_plan plans[PLACES];
static uint64_t last_number;

static struct pmc_plan *pmc_plan_place(const struct pmc_state *state)
{
    uint64_t hash = hash_number(0, state->counts.mask);

    MASK_FOREACH (n, state->counts.mask) {
        hash = hash_number(hash, state->tally[n].code);
        hash = hash_number(hash, state->tally[n].modes);
    }
    return &plans[hash_end(hash) % PLACES];
}

static bool pmc_plan_is_of(const struct pmc_plan *plan, const struct pmc_state *state)
{
    bool same = plan->mask == state->counts.mask;

    MASK_FOREACH (n, state->counts.mask) {
        same = same && plan->code[n] == state->tally[n].code &&
               plan->modes[n] == state->tally[n].modes;
    }
    return same;
}

void pmc_plan_forget(void)
{
    for (unsigned i = 0; i < PLACES; i++)
        plans[i].mask = 0;
}

uint64_t pmc_plan_number(const struct pmc_state *state)
{
    struct pmc_plan *plan = pmc_plan_place(state);

    if (pmc_plan_is_of(plan, state))
        return plan->number;
    plan->number = ++last_number;
    plan->mask = state->counts.mask;
    MASK_FOREACH (n, state->counts.mask) {
        plan->code[n] = state->tally[n].code;
        plan->modes[n] = state->tally[n].modes;
    }
    return plan->number;
}
