/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading what another thread counts; see pmc_thread.h. States are unlinked under the lock of
 * stats/ before they, and their threads, are freed: who holds the lock may look at all that are
 * linked.
 */
#include "kernel/pmc/pmc_thread.h"
#include "kernel/cpu/cross_call.h"
#include "kernel/thread/thread.h"
#include "kernel/thread/thread_list.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "stats/pmc/pmc_private.h"
#include "stats/port.h"

static uint32_t pmc_thread_configured(const struct pmc_state *state)
{
    uint32_t mask = 0;

    for (int n = 0; n < pmc_system.counters; n++)
        if (state->want[n].configured)
            mask |= 1u << n;
    return mask;
}

/* False: it has no counters. Under the lock of stats/. */
static bool pmc_thread_describe(const struct pmc_state *state, struct pmc_thread_entry *entry)
{
    *entry = (struct pmc_thread_entry){UINT64_MAX, 0, thread_of_lwp(state->lwp)->id, state};
    for (int n = 0; n < pmc_system.counters; n++) {
        if (!state->want[n].configured)
            continue;
        if (state->want[n].since < entry->oldest)
            entry->oldest = state->want[n].since;
        if (state->want[n].since > entry->newest)
            entry->newest = state->want[n].since;
    }
    return entry->oldest <= entry->newest;
}

struct list {
    struct pmc_thread_entry *out;
    size_t count, max;
};

/* Thread lock. */
static void pmc_thread_list_one(struct thread *thread, void *argument)
{
    struct list *list = argument;
    struct pmc_thread_entry entry;
    uintptr_t lock = stats_port_lock();
    bool counts = thread->lwp.l_pmc != NULL && pmc_thread_describe(thread->lwp.l_pmc, &entry);

    stats_port_unlock(lock);
    if (!counts || entry.id == 0)
        return; /* 0: the first idle one */
    if (list->count < list->max)
        list->out[list->count] = entry;
    list->count++;
}

size_t pmc_thread_list(struct pmc_thread_entry *out, size_t max)
{
    struct list list = {.out = out, .max = max};

    /* Most often nobody counts. */
    if (__atomic_load_n(&pmc_system.states, __ATOMIC_RELAXED) != NULL)
        thread_walk(pmc_thread_list_one, &list);
    return list.count;
}

/* Of a thread that runs here and has just folded, or that does not run. Under the lock. */
static void pmc_thread_copy(const struct pmc_state *state, struct pmc_thread_values *out)
{
    uint32_t mask = pmc_thread_configured(state);

    memset(out, 0, sizeof *out);
    for (int n = 0; n < pmc_system.counters; n++) {
        struct pmc_thread_counter *counter = &out->counter[n];

        if (!(mask >> n & 1))
            continue;
        counter->configured = true;
        counter->cfg = state->want[n].cfg;
        counter->children = state->children[n];
        if (state->want[n].serial != state->tally[n].serial)
            continue; /* configured anew, and not yet in force: all 0 */
        counter->value = state->counts.count[n];
        counter->overflows = state->tally[n].overflows;
    }
    pmu_set_share_get(thread_of_lwp(state->lwp), state->counts.count, &out->set);
}

struct reading {
    const struct pmc_thread_entry *entry;
    bool done;
    struct pmc_thread_values *out;
};

/* On each CPU: the thread, if it runs there. */
static void pmc_thread_read_here(void *argument)
{
    struct reading *reading = argument;
    const struct thread *self = thread_current();
    struct pmc_state *state = self->lwp.l_pmc;
    uintptr_t lock;

    if (self->id != reading->entry->id || state != reading->entry->state || reading->done)
        return;
    pmu_set_share_fold(self);
    pmc_fold_here(state); /* afterwards: a set's account is not ahead of it */
    lock = stats_port_lock();
    pmc_thread_copy(state, reading->out);
    reading->done = true;
    stats_port_unlock(lock);
}

/* Where the thread stands still meanwhile. False: not so, or there is none. *EXISTS tells. */
static bool pmc_thread_read_standing(struct reading *reading, bool *exists)
{
    uintptr_t lock = stats_port_lock();
    const struct pmc_state *state = reading->entry->state;
    bool stood = false;
    uint64_t before, after;

    *exists = pmc_states_have(state) && thread_of_lwp(state->lwp)->id == reading->entry->id;
    if (*exists) {
        stood = thread_stands(thread_of_lwp(state->lwp), &before);
        pmc_thread_copy(state, reading->out);
        stood = stood && thread_stands(thread_of_lwp(state->lwp), &after) && before == after;
    }
    stats_port_unlock(lock);
    return stood;
}

int pmc_thread_read(const struct pmc_thread_entry *entry, struct pmc_thread_values *out)
{
    struct reading reading = {.entry = entry, .out = out};
    bool exists = entry->id != 0;

    for (unsigned attempt = 0; exists && attempt < THREAD_STANDS_ATTEMPTS; attempt++) {
        cross_call_all(pmc_thread_read_here, &reading);
        if (reading.done || pmc_thread_read_standing(&reading, &exists))
            break;
    }
    for (int n = 0; exists && n < pmc_system.counters; n++)
        if (out->counter[n].configured)
            return 0;
    return ENXIO;
}
