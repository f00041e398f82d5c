/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets of events: see pmu_set.h. Each thread that counts a set is a member. It folds what its
 * counters have counted since the last time into the set's sums: at its clock ticks, at its end,
 * and when the set is stopped; always by itself, with interrupts off.
 */
#include "kernel/pmu_set.h"
#include <arch/interrupt_flag.h>
#include "kernel/cpu_time.h"
#include "kernel/kmem.h"
#include "kernel/panic.h"
#include "kernel/pmu_set_private.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "stats/port.h"

static void leave(struct pmu_set *set)
{
    uintptr_t state = spinlock_acquire(&set->lock);
    unsigned left = --set->users;

    spinlock_release(&set->lock, state);
    if (left == 0)
        kmem_free(set);
}

/* The thread is no member any more, or not yet (NULL). */
static void set_member(struct lwp *l, struct member *m)
{
    uintptr_t lock = stats_port_lock();

    l->l_pmc_set = m;
    stats_port_unlock(lock);
}

/* By the member's thread, interrupts off. */
void pmu_set_fold(struct member *m)
{
    struct pmu_set *set = m->set;
    struct thread *thread = thread_current();
    uint64_t value[PMU_EVENTS_MAX] = {0}, now = cpu_time_of_thread(thread), slice;
    int counter[PMU_EVENTS_MAX] = {0};
    uint32_t held = set->plan.turns > 0 ? pmc_hold_counters() : 0;

    for (unsigned e = 0; e < set->count; e++) {
        counter[e] = place_of(set, m->turn, e).counter;
        if (counter[e] >= 0)
            (void)pmc_get_counter_value(m->l, counter[e], 0, &value[e]);
    }
    pmc_go_on(held);
    spinlock_lock(&set->lock);
    slice = now - m->time;
    for (unsigned e = 0; !set->over && e < set->count; e++) {
        if (counter[e] < 0)
            continue;
        set->counts[e] += value[e] - m->folded[counter[e]];
        m->own[e] += value[e] - m->folded[counter[e]];
        set->ran[e] += slice;
        m->own_ran[e] += slice;
        m->folded[counter[e]] = value[e];
    }
    if (!set->over) {
        set->time += slice;
        m->own_time += slice;
        set->user_time += thread->user_cycles - m->user_time;
        set->migrations += thread->migrations - m->migrations;
        m->own_migrations += thread->migrations - m->migrations;
    }
    m->time = now;
    m->user_time = thread->user_cycles;
    m->migrations = thread->migrations;
    m->folds++;
    spinlock_unlock(&set->lock);
}

/* Whether the event goes on counting where it does from one turn to the next. */
static bool stays(const struct pmu_set *set, unsigned from, unsigned to, unsigned event)
{
    struct pmu_place a = place_of(set, from, event), b = place_of(set, to, event);

    return from != to && a.counter >= 0 && a.counter == b.counter && a.code == b.code;
}

/* Prepares the counters of turn TO, FROM having been the last; equal: there was none. */
static int configure(struct member *m, unsigned from, unsigned to, unsigned *bad)
{
    struct pmu_set *set = m->set;
    int error = 0;

    for (unsigned e = 0; e < set->count && error == 0; e++) {
        struct pmu_place place = place_of(set, to, e);
        struct pmc_counter_cfg cfg = {place.code, 0, set->requests[e].modes};

        *bad = e;
        if (place.counter < 0 || stays(set, from, to, e))
            continue;
        error = pmc_configure_counter(m->l, place.counter, &cfg);
        m->folded[place.counter] = 0;
    }
    return error;
}

/* Counters of turn TURN that do not stay for turn OTHER; equal: there is no other. */
static uint32_t changing(const struct member *m, unsigned turn, unsigned other)
{
    uint32_t mask = 0;

    for (unsigned e = 0; e < m->set->count; e++) {
        int counter = place_of(m->set, turn, e).counter;

        if (counter >= 0 && !stays(m->set, other, turn, e))
            mask |= 1u << counter;
    }
    return mask;
}

/* Counters of all turns. */
static uint32_t used(const struct member *m)
{
    uint32_t mask = 0;

    for (unsigned turn = 0; turn < m->set->plan.turns; turn++)
        mask |= changing(m, turn, turn);
    return mask;
}

static int enable(struct member *m, unsigned from, unsigned to)
{
    return pmc_enable_counters(m->l, changing(m, to, from), true);
}

static void disable(struct member *m, unsigned from, unsigned to)
{
    (void)pmc_enable_counters(m->l, changing(m, from, to), false);
}

static void tick(struct lwp *l)
{
    struct member *m = l->l_pmc_set;
    struct pmu_set *set = m->set;
    unsigned next, bad;

    pmu_set_fold(m);
    if (set->plan.turns == 0)
        return;
    if (set->over) {
        disable(m, m->turn, m->turn);
        return;
    }
    if (set->plan.turns == 1)
        return;
    next = m->turn + 1;
    disable(m, m->turn, next);
    if (configure(m, m->turn, next, &bad) == 0)
        (void)enable(m, m->turn, next);
    m->turn = next;
}

/* A new thread, which has not run. What it has inherited may be of a turn that is over. */
static void fork(struct lwp *parent, struct lwp *child)
{
    const struct member *from = parent->l_pmc_set;
    struct member *m = from->set->over ? NULL : kmem_zalloc(sizeof *m);
    uintptr_t state;
    unsigned bad;

    if (m == NULL)
        return;
    m->set = from->set;
    m->l = child;
    m->turn = *(const volatile unsigned *)&from->turn;
    state = spinlock_acquire(&m->set->lock);
    m->set->users++;
    spinlock_release(&m->set->lock, state);
    if (m->set->plan.turns > 1) {
        (void)pmc_enable_counters(child, used(m), false);
        if (configure(m, m->turn, m->turn, &bad) == 0)
            (void)enable(m, m->turn, m->turn);
    }
    set_member(child, m);
}

static void thread_ends(struct lwp *l, struct lwp *parent)
{
    struct member *m = l->l_pmc_set;
    uintptr_t state = interrupts_save(), lock;

    (void)parent;
    pmu_set_fold(m);
    lock = stats_port_lock();
    for (unsigned e = 0; e < m->set->count; e++)
        m->set->ended[e] += m->own[e];
    l->l_pmc_set = NULL;
    stats_port_unlock(lock);
    interrupts_restore(state);
    leave(m->set);
    kmem_free(m);
}

static const struct pmc_hooks hooks = {.tick = tick, .fork = fork, .exit = thread_ends};

uint32_t pmu_set_free_counters(void)
{
    uint32_t free = 0;

    for (int ctr = 0; ctr < pmc_get_num_counters(); ctr++)
        if (!pmc_counter_isconfigured(curlwp, ctr))
            free |= 1u << ctr;
    return free;
}

/* Gives the counters of all turns back. */
static void release(struct member *m)
{
    uint32_t mask = used(m);

    for (int ctr = 0; mask >> ctr != 0; ctr++)
        if (mask >> ctr & 1)
            (void)pmc_release_counter(m->l, ctr);
}

/* Every turn is tried, so that none fails at a tick; the first one stays. */
static int try_turns(struct member *m, unsigned *bad)
{
    unsigned turns = m->set->plan.turns;
    int error = 0;

    for (unsigned turn = turns; turn-- > 0 && error == 0;)
        error = configure(m, turn + 1 < turns ? turn + 1 : turn, turn, bad);
    return error;
}

static struct member *create(const struct pmu_event_request *requests, unsigned count,
                             const struct pmu_plan *plan)
{
    struct pmu_set *set = kmem_zalloc(sizeof *set);
    struct member *m = kmem_zalloc(sizeof *m);

    if (set == NULL || m == NULL) {
        kmem_free(set);
        kmem_free(m);
        return NULL;
    }
    spinlock_init(&set->lock, "event set");
    set->users = 2;
    set->first = m;
    set->count = count;
    memcpy(set->requests, requests, count * sizeof *requests);
    set->plan = *plan;
    m->set = set;
    m->l = curlwp;
    m->thread = thread_current();
    return m;
}

int pmu_set_start(struct pmu_set **out, const struct pmu_event_request *requests, unsigned count,
                  const struct pmu_plan *plan, unsigned *bad)
{
    struct member *m;
    uintptr_t state;
    int error;

    *bad = 0;
    if (curlwp->l_pmc_set != NULL)
        return EBUSY;
    pmc_set_hooks(&hooks);
    m = create(requests, count, plan);
    if (m == NULL)
        return ENOMEM;
    error = try_turns(m, bad);
    if (error == 0) {
        *out = m->set;
        state = interrupts_save();
        m->time = cpu_time_of_thread(m->thread);
        m->user_time = m->thread->user_cycles;
        m->migrations = m->thread->migrations;
        set_member(m->l, m);
        if (plan->turns > 0)
            error = enable(m, 0, 0);
        if (error != 0)
            set_member(m->l, NULL);
        interrupts_restore(state);
    }
    if (error != 0) {
        release(m);
        kmem_free(m->set);
        kmem_free(m);
    }
    return error;
}

void pmu_set_stop(struct pmu_set *set)
{
    struct member *m = set->first;
    uintptr_t state = interrupts_save();

    ASSERT(m != NULL && m->thread == thread_current());
    if (set->plan.turns > 0)
        disable(m, m->turn, m->turn);
    pmu_set_fold(m);
    set_member(m->l, NULL);
    spinlock_lock(&set->lock);
    set->over = true;
    set->first = NULL;
    spinlock_unlock(&set->lock);
    interrupts_restore(state);
    release(m);
    leave(set);
    kmem_free(m);
}

void pmu_set_free(struct pmu_set *set)
{
    leave(set);
}
