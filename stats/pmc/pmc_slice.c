/* SPDX-License-Identifier: BSD-2-Clause */
/* Events that take turns on a counter: of the system on one CPU, and what is left of a period. */
#include <stddef.h>
#include "stats/pmc/pmc_private.h"
#include "stats/port.h"

uint64_t pmc_left(int ctr)
{
    uintptr_t lock = stats_port_lock();
    const struct pmc_state *state = lwp_current()->l_pmc;
    uint64_t left = 0;

    if (state != NULL && state->want[ctr].serial == state->tally[ctr].serial &&
        state->tally[ctr].period != 0)
        left = state->tally[ctr].left;
    stats_port_unlock(lock);
    return left;
}

/* Nobody takes them away meanwhile: who does, asks this CPU first. */
static bool pmc_slice_has(const struct pmc_cpu *cpu, const struct pmu_owner *owner, uint32_t mask)
{
    bool has = (cpu->kernel_mask & mask) == mask;

    MASK_FOREACH (n, mask) {
        has = has && pmc_system.owner[n] == owner;
    }
    return has;
}

bool pmc_read_here(const struct pmu_owner *owner, uint32_t mask, bool stop, uint64_t *values)
{
    struct pmc_cpu *cpu = pmc_cpu_here();

    if (!pmc_slice_has(cpu, owner, mask))
        return false;
    pmc_registers_hold(cpu, mask, stop);
    MASK_FOREACH (n, mask) {
        pmc_register_fold(cpu, n, &cpu->kernel[n], &cpu->kernel_count[n]);
        *values++ = cpu->kernel_count[n];
    }
    if (!stop)
        pmc_registers_start(cpu, mask);
    return true;
}

uint64_t pmc_left_here(int ctr)
{
    const struct pmc_tally *tally = &pmc_cpu_here()->kernel[ctr];

    return tally->period != 0 ? tally->left : 0;
}

/* The register, which stands still, goes on for TURN. */
static void pmc_slice_one(struct pmc_cpu *cpu, unsigned n, struct pmc_tally *tally, uint64_t *count,
                          struct pmc_slice *slice)
{
    const struct pmu_owner *owner = tally->owner;
    uint32_t serial = tally->serial;
    uint64_t first = slice->left;

    pmc_register_unload(cpu, n, tally, count, true);
    slice->value = *count;
    slice->left = tally->period != 0 ? tally->left : 0;
    pmc_tally_init(tally, &slice->cfg, serial, owner);
    if (first != 0)
        tally->left = first;
    *count = 0;
    pmc_register_prepare(cpu, n, tally);
}

/* What is wanted is in force, and is changed with it. */
static bool pmc_slice_want(const struct pmu_owner *owner, struct pmc_state *state, uint32_t mask,
                           const struct pmc_slice *slices)
{
    uintptr_t lock = stats_port_lock();
    bool can = !pmc_state_is_behind(state) && (state->counts.mask & mask) == mask;

    MASK_FOREACH (n, mask) {
        can = can && state->want[n].owner == owner && state->want[n].enabled;
    }
    MASK_FOREACH (n, can ? mask : 0) {
        state->want[n].cfg = slices->cfg;
        state->want[n].first = slices++->left;
    }
    stats_port_unlock(lock);
    return can;
}

bool pmc_slice_own(const struct pmu_owner *owner, uint32_t mask, struct pmc_slice *slices)
{
    struct pmc_state *state = lwp_current()->l_pmc;
    struct pmc_cpu *cpu = pmc_cpu_here();

    if (state == NULL || !pmc_slice_want(owner, state, mask, slices))
        return false;
    pmc_registers_hold(cpu, mask, false);
    MASK_FOREACH (n, mask) {
        pmc_slice_one(cpu, n, &state->tally[n], &state->counts.count[n], slices++);
    }
    pmc_state_replan(state, mask);
    pmc_registers_start(cpu, mask);
    return true;
}

bool pmc_slice_here(const struct pmu_owner *owner, uint32_t mask, struct pmc_slice *slices)
{
    struct pmc_cpu *cpu = pmc_cpu_here();

    if (!pmc_slice_has(cpu, owner, mask))
        return false;
    pmc_registers_hold(cpu, mask, true);
    MASK_FOREACH (n, mask) {
        pmc_slice_one(cpu, n, &cpu->kernel[n], &cpu->kernel_count[n], slices++);
    }
    pmc_registers_start(cpu, mask);
    return true;
}
