/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads' counters at thread switches and clock ticks, on this CPU, interrupts off. Those of a
 * thread begin and end together where the class can do that. Where it cannot, a counter without a
 * period stays running when its thread leaves. Either stays programmed: it is stopped for good by
 * the next who needs it for something else, or by the tick when no thread wants it any more.
 */
#include <stddef.h>
#include "stats/pmc/pmc_private.h"
#include "stats/port.h"

/*
 * A number that threads share which count the same without periods on the first class's counters,
 * if that has a short switch; else 0. Under the lock.
 */
static uint64_t pmc_context_plan_of(struct pmc_state *state)
{
    const struct pmu_class *class = pmu_class_at(0, NULL);

    if (state->counts.mask == 0 || class == NULL || !(class->capabilities & PMU_QUICK) ||
        pmc_state_is_behind(state) || pmc_system.profiling_mask != 0)
        return 0;
    MASK_FOREACH (n, state->counts.mask) {
        if (pmc_system.counter[n].class != class || state->tally[n].period != 0)
            return 0;
    }
    state->quick = pmc_port_quick_switch(class, state->counts.mask);
    if (state->quick == NULL)
        return 0;
    return pmc_plan_number(state);
}

static pmu_value_t *pmc_context_value_of(const struct pmc_state *state, unsigned n)
{
    const struct pmu_class *class = pmc_system.counter[n].class;

    if (!(state->counts.mask >> n & 1) || state->tally[n].period != 0 ||
        class != pmu_class_at(0, NULL) || class->reader == NULL)
        return NULL;
    /* cppcheck-suppress CastIntegerToAddressAtReturn ; it takes the type for what a reader returns
     */
    return class->reader(n);
}

/* Whether counter N runs on, as it is wanted. */
static bool pmc_context_stays(const struct pmc_state *state, unsigned n,
                              const struct pmc_want *want)
{
    return (state->counts.mask >> n & 1) && want->serial == state->tally[n].serial && want->enabled;
}

/* Returns whether it is to be started. */
static bool pmc_context_apply_one(struct pmc_cpu *cpu, struct pmc_state *state, unsigned n,
                                  const struct pmc_want *want, bool loaded)
{
    struct pmc_tally *tally = &state->tally[n];
    bool runs = state->counts.mask >> n & 1,
         starts = want->enabled && !pmc_context_stays(state, n, want);

    if (runs && !pmc_context_stays(state, n, want)) {
        if (loaded)
            pmc_register_unload(cpu, n, tally, &state->counts.count[n], true);
        state->counts.mask &= ~(1u << n);
    }
    if (want->serial != tally->serial) {
        pmc_tally_init(tally, &want->cfg, want->serial, want->owner);
        if (want->first != 0)
            tally->left = want->first;
        state->counts.count[n] = 0;
    }
    if (starts) {
        state->counts.mask |= 1u << n;
        if (loaded)
            pmc_register_prepare(cpu, n, tally);
    }
    state->value[n] = pmc_context_value_of(state, n);
    return starts;
}

/* Owners from whom counters of the thread were taken. */
struct losses {
    uint32_t mask;
    const struct pmu_owner *owner[PMC_COUNTERS_MAX];
};

/* LOADED: its counters are this CPU's. */
static void pmc_context_apply(struct pmc_cpu *cpu, struct pmc_state *state, bool loaded,
                              struct losses *losses)
{
    struct pmc_want want[PMC_COUNTERS_MAX];
    uintptr_t lock = stats_port_lock();
    uint32_t end = 0, begin = 0;

    losses->mask = 0;
    pmu_owner_tell(state);
    for (int n = 0; n < pmc_system.counters; n++) {
        want[n] = state->want[n];
        losses->owner[n] = want[n].loser;
        losses->mask |= (uint32_t)(want[n].loser != NULL) << n;
        state->want[n].loser = NULL;
    }
    state->changed = false;
    state->lwp->l_pmc_plan = 0;
    stats_port_unlock(lock);
    MASK_FOREACH (n, state->counts.mask) {
        if (!pmc_context_stays(state, n, &want[n]))
            end |= 1u << n;
    }
    if (loaded)
        pmc_registers_hold(cpu, end, false);
    for (unsigned n = 0; n < (unsigned)pmc_system.counters; n++)
        if (pmc_context_apply_one(cpu, state, n, &want[n], loaded))
            begin |= 1u << n;
    lock = stats_port_lock();
    state->lwp->l_pmc_plan = pmc_context_plan_of(state);
    stats_port_unlock(lock);
    if (loaded)
        pmc_registers_start(cpu, begin);
}

/* Its counters are this CPU's, and those that were taken away stand still. */
static void pmc_context_tell(struct lwp *l, const struct losses *losses)
{
    for (uint32_t left = losses->mask; left != 0;) {
        const struct pmu_owner *owner = losses->owner[__builtin_ctz(left)];
        uint32_t its = 0;

        MASK_FOREACH (n, losses->mask) {
            if (losses->owner[n] == owner)
                its |= 1u << n;
        }
        left &= ~its;
        if (owner->lost != NULL)
            owner->lost(l, its);
    }
}

void pmc_state_apply(struct pmc_cpu *cpu, struct pmc_state *state)
{
    struct losses losses;

    pmc_context_apply(cpu, state, true, &losses);
    pmc_context_tell(state->lwp, &losses);
}

void pmc_state_catch_up(struct pmc_cpu *cpu)
{
    struct pmc_state *state = lwp_current()->l_pmc;

    if (state != NULL && pmc_state_is_behind(state))
        pmc_state_apply(cpu, state);
}

void pmc_state_replan(struct pmc_state *state, uint32_t mask)
{
    uintptr_t lock = stats_port_lock();

    state->lwp->l_pmc_plan = 0;
    MASK_FOREACH (n, mask) {
        state->value[n] = pmc_context_value_of(state, n);
    }
    state->lwp->l_pmc_plan = pmc_context_plan_of(state);
    stats_port_unlock(lock);
}

void pmc_state_unload(struct pmc_cpu *cpu, struct pmc_state *state)
{
    pmc_registers_hold(cpu, state->counts.mask, false);
    MASK_FOREACH (n, state->counts.mask) {
        pmc_register_unload(cpu, n, &state->tally[n], &state->counts.count[n], true);
    }
    state->counts.mask = 0;
    for (unsigned n = 0; n < PMC_COUNTERS_MAX; n++)
        state->value[n] = NULL;
}

void pmc_state_restore(struct pmc_cpu *cpu, struct pmc_state *state)
{
    struct losses losses = {.mask = 0};

    if (pmc_state_is_behind(state))
        pmc_context_apply(cpu, state, false, &losses);
    MASK_FOREACH (n, state->counts.mask) {
        pmc_register_prepare(cpu, n, &state->tally[n]);
    }
    pmc_registers_start(cpu, state->counts.mask);
    pmc_context_tell(state->lwp, &losses);
}

static void pmc_context_leave(struct lwp *l)
{
    struct pmc_state *state = l->l_pmc;
    struct pmc_cpu *cpu;

    if (pmc_system.cpus == NULL)
        return;
    cpu = pmc_cpu_here();
    cpu->switching = l;
    if (pmc_system.profiling_mask != 0)
        pmc_register_poll(); /* what has overflowed until now did so in this thread */
    if (state != NULL) {
        pmc_registers_hold(cpu, state->counts.mask, false);
        MASK_FOREACH (n, state->counts.mask) {
            pmc_register_unload(cpu, n, &state->tally[n], &state->counts.count[n], false);
        }
    }
    cpu->switching = NULL;
}

static void pmc_context_arrive(struct lwp *l)
{
    struct pmc_cpu *cpu;

    if (l->l_pmc == NULL)
        return;
    cpu = pmc_cpu_here();
    cpu->switching = l;
    pmc_state_restore(cpu, l->l_pmc);
    cpu->switching = NULL;
}

void pmc_save_context(struct lwp *l)
{
    pmc_context_leave(l);
    pmc_port_current(NULL);
}

void pmc_restore_context(struct lwp *l)
{
    pmc_port_current(l);
    pmc_context_arrive(l);
}

void pmc_switch_context(struct lwp *from, struct lwp *to)
{
    pmc_context_leave(from);
    pmc_context_arrive(to);
}

/* Owners of the system whose events take turns here. */
static void pmc_context_turn(const struct pmc_cpu *cpu)
{
    const struct pmu_owner *told = NULL;

    MASK_FOREACH (n, cpu->kernel_mask) {
        const struct pmu_owner *owner = pmc_system.owner[n];

        if (owner != NULL && owner != told && owner->rotate != NULL)
            owner->rotate();
        told = owner;
    }
}

/* Registers that went on running for nobody. */
static void pmc_context_stop_unwanted(struct pmc_cpu *cpu)
{
    uint64_t *count;

    for (unsigned n = 0; n < (unsigned)pmc_system.counters; n++)
        if ((cpu->reg[n].running || cpu->reg[n].held) && pmc_system.enabled[n] == 0 &&
            pmc_register_owner(cpu, n, &count) == NULL) {
            pmc_register_stop(cpu, n);
            cpu->reg[n].programmed = false;
        }
}

/* True if nobody uses any counter any more: then this CPU rests. */
static bool pmc_context_rests(struct pmc_cpu *cpu)
{
    uintptr_t lock = stats_port_lock();
    bool unused = pmc_system.users == 0;

    if (unused)
        cpu->active = false;
    stats_port_unlock(lock);
    return unused;
}

void pmc_tick(void)
{
    struct pmc_cpu *cpu = pmc_cpu_here();
    struct lwp *l = lwp_current();
    struct pmc_tally *tally;
    uint64_t *count;
    bool last;

    pmc_register_poll();
    for (unsigned n = 0; n < (unsigned)pmc_system.counters; n++) {
        tally = cpu->reg[n].running ? pmc_register_owner(cpu, n, &count) : NULL;
        if (tally != NULL)
            pmc_register_fold(cpu, n, tally, count);
    }
    pmc_state_catch_up(cpu); /* nobody else tells it that a profile has ended */
    if (cpu->kernel_mask != 0)
        pmc_context_turn(cpu);
    if (l->l_pmc_set != NULL)
        l->l_pmc_set->owner->tick(l);
    last = pmc_context_rests(cpu); /* first: no thread wants anything from then on */
    pmc_context_stop_unwanted(cpu);
    if (last)
        pmc_port_end(cpu);
}
