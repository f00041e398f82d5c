/* SPDX-License-Identifier: BSD-2-Clause */
/* pmc(9): a thread's state: its birth, what is put in force, inheritance, its end. */
#include <stddef.h>
#include "lib/errno.h"
#include "stats/pmc/pmc_private.h"
#include "stats/port.h"

static void pmc_thread_begin_here(void *unused)
{
    struct pmc_cpu *cpu = pmc_cpu_here();

    (void)unused;
    if (!cpu->active) {
        cpu->active = true;
        pmc_port_begin(cpu);
    }
}

static void pmc_thread_zero(void *memory, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((char *)memory)[i] = 0;
}

int pmc_cpus_ready(void)
{
    size_t size = pmc_port_cpu_count() * sizeof(struct pmc_cpu);
    struct pmc_cpu *cpus = NULL;
    uintptr_t lock;

    if (__atomic_load_n(&pmc_system.cpus, __ATOMIC_ACQUIRE) == NULL) {
        cpus = stats_port_alloc(size);
        if (cpus == NULL)
            return ENOMEM;
        pmc_thread_zero(cpus, size);
        lock = stats_port_lock();
        if (pmc_system.cpus == NULL) {
            __atomic_store_n(&pmc_system.cpus, cpus, __ATOMIC_RELEASE);
            cpus = NULL;
        }
        stats_port_unlock(lock);
        if (cpus != NULL)
            stats_port_free(cpus, size);
    }
    pmc_port_each_cpu(pmc_thread_begin_here, NULL);
    return 0;
}

int pmc_state_make(struct lwp *l, bool first)
{
    struct pmc_state *state;
    uintptr_t lock;
    int error;

    if (l->l_pmc != NULL)
        return 0;
    state = stats_port_alloc(sizeof *state);
    if (state == NULL)
        return ENOMEM;
    pmc_thread_zero(state, sizeof *state);
    state->lwp = l;
    lock = stats_port_lock();
    state->epoch = pmc_system.epoch; /* it has nothing yet that could be taken */
    pmc_system.users++;              /* so that no CPU goes to rest from now on */
    stats_port_unlock(lock);
    error = first ? pmc_cpus_ready() : 0;
    pmc_states_make_room();
    lock = stats_port_lock();
    if (error != 0 || l->l_pmc != NULL) {
        pmc_system.users--;
    } else {
        pmc_states_link(state);
        __atomic_store_n(&l->l_pmc, state, __ATOMIC_RELEASE);
        state = NULL;
    }
    stats_port_unlock(lock);
    if (state != NULL)
        stats_port_free(state, sizeof *state);
    return error;
}

static void pmc_thread_apply_here(void *argument)
{
    struct pmc_state *state = argument;

    if (state != NULL && lwp_current()->l_pmc == state && pmc_state_is_behind(state))
        pmc_state_apply(pmc_cpu_here(), state);
}

/* Its CPU is asked after the change is stored, and so either sees it here or when it switches. */
void pmc_put_in_force(struct lwp *l)
{
    uintptr_t interrupts = pmc_port_interrupts_save();

    if (l == lwp_current()) {
        pmc_thread_apply_here(l->l_pmc);
        pmc_port_interrupts_restore(interrupts);
        return;
    }
    pmc_port_interrupts_restore(interrupts);
    pmc_port_each_cpu(pmc_thread_apply_here, l->l_pmc);
}

int pmc_fork(struct lwp *parent, struct lwp *child)
{
    uintptr_t lock = stats_port_lock();
    struct pmc_state *from = pmu_owner_state(parent);
    bool any = false;
    int error;

    for (int n = 0; from != NULL && n < pmc_system.counters; n++)
        any = any || from->want[n].enabled;
    stats_port_unlock(lock);
    if (any) {
        error = pmc_state_make(child, false); /* the parent has seen to the CPUs */
        if (error != 0)
            return error;
        lock = stats_port_lock();
        pmu_owner_tell(from);
        pmu_owner_tell(child->l_pmc);
        for (int n = 0; n < pmc_system.counters; n++)
            if (from->want[n].enabled) {
                child->l_pmc->want[n].cfg = from->want[n].cfg;
                child->l_pmc->want[n].serial = 1;
                child->l_pmc->want[n].since = stats_port_time_ns();
                pmu_owner_give_thread(child->l_pmc, n, from->want[n].owner, true);
            }
        stats_port_unlock(lock);
    }
    if (parent->l_pmc_set != NULL)
        parent->l_pmc_set->owner->fork(parent, child);
    return 0;
}

static bool pmc_thread_counts_the_same(const struct pmc_want *a, const struct pmc_want *b)
{
    return a->configured && b->configured && a->cfg.event_id == b->cfg.event_id &&
           pmc_config_modes(&a->cfg) == pmc_config_modes(&b->cfg);
}

int pmc_accumulate(struct lwp *l_parent, struct lwp *l_exiting)
{
    struct pmc_state *to, *from = l_exiting->l_pmc;
    uintptr_t lock;

    if (from == NULL)
        return 0;
    lock = pmc_port_interrupts_save();
    pmc_fold_here(from);
    pmc_port_interrupts_restore(lock);
    lock = stats_port_lock();
    to = l_parent->l_pmc; /* the parent gives it back under the lock */
    for (int n = 0; to != NULL && n < pmc_system.counters; n++)
        if (pmc_thread_counts_the_same(&to->want[n], &from->want[n])) {
            to->children[n] += from->children[n];
            if (from->want[n].serial == from->tally[n].serial)
                to->children[n] += from->counts.count[n];
        }
    stats_port_unlock(lock);
    return 0;
}

/* Its counters stand still, or its thread has never run. Under the lock; it is the caller's to
 * free. */
static void pmc_thread_state_unlink(struct pmc_state *state)
{
    pmc_states_unlink(state);
    pmc_system.users--;
    state->lwp->l_pmc = NULL;
}

void pmc_process_exit(struct lwp *l)
{
    struct pmc_state *state = l->l_pmc;
    uintptr_t interrupts, lock;

    if (state == NULL)
        return;
    interrupts = pmc_port_interrupts_save();
    if (l == lwp_current())
        pmc_state_unload(pmc_cpu_here(), state);
    lock = stats_port_lock();
    pmu_owner_tell(state);
    for (int n = 0; n < pmc_system.counters; n++)
        pmu_owner_end_thread(state, n);
    pmc_thread_state_unlink(state);
    stats_port_unlock(lock);
    pmc_port_interrupts_restore(interrupts);
    stats_port_free(state, sizeof *state);
}

/* Gives the caller's state back if it wants nothing and has nothing running: then neither has any
 * other CPU anything to put in force. */
static void pmc_thread_state_drop_unused(struct lwp *l)
{
    uintptr_t interrupts = pmc_port_interrupts_save(), lock = stats_port_lock();
    struct pmc_state *state = l->l_pmc;
    bool used = state == NULL || state->counts.mask != 0;

    for (int n = 0; !used && n < pmc_system.counters; n++)
        used = state->want[n].configured;
    if (!used)
        pmc_thread_state_unlink(state);
    stats_port_unlock(lock);
    pmc_port_interrupts_restore(interrupts);
    if (!used)
        stats_port_free(state, sizeof *state);
}

/* The counter is kept, so that the system cannot have it, until it stands still. */
int pmc_release_as(const struct pmu_owner *owner, struct lwp *l, int ctr)
{
    struct pmc_state *state;
    bool held = false, others = false;
    uintptr_t lock;

    if (!pmc_counter_valid(ctr))
        return EINVAL;
    lock = stats_port_lock();
    state = pmu_owner_state(l);
    if (state != NULL) {
        held = state->want[ctr].owner != NULL;
        others = held && state->want[ctr].owner != owner;
    }
    if (state != NULL && !others) {
        pmu_owner_end_thread(state, ctr);
        state->want[ctr].serial++;
        state->children[ctr] = 0;
        if (held)
            pmu_owner_keep(ctr, true);
    }
    stats_port_unlock(lock);
    if (state == NULL || others)
        return others ? EBUSY : 0;
    pmc_put_in_force(l);
    lock = stats_port_lock();
    if (held)
        pmu_owner_keep(ctr, false);
    stats_port_unlock(lock);
    if (l == lwp_current())
        pmc_thread_state_drop_unused(l);
    return 0;
}

int pmc_release_counter(struct lwp *l, int ctr)
{
    return pmc_release_as(&pmu_owner_thread, l, ctr);
}
