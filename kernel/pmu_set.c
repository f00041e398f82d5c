/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets of events: see pmu_set.h. Each thread that counts a set is a member. It folds what its
 * counters have counted since the last time into the set's sums: at its clock ticks, at its end,
 * and when the set is stopped; always by itself, with interrupts off.
 */
#include "kernel/pmu_set.h"
#include <arch/interrupt_flag.h>
#include <stdbool.h>
#include <sys/pmc.h>
#include "kernel/clock.h"
#include "kernel/cpu_time.h"
#include "kernel/cross_call.h"
#include "kernel/kmem.h"
#include "kernel/panic.h"
#include "kernel/spinlock.h"
#include "kernel/thread.h"
#include "lib/errno.h"
#include "lib/string.h"

#define READ_ATTEMPTS 8 /* of a thread that comes and goes */

struct member {
    struct pmu_set *set;
    struct lwp *l;
    struct thread *thread; /* NULL until it has run */
    unsigned turn;
    uint64_t folded[PMC_COUNTERS_MAX];    /* of the counter's value, part of the sums already */
    uint64_t time, user_time, migrations; /* the same of the thread's */
    uint64_t folds;
};

struct pmu_set {
    struct spinlock lock;
    unsigned users; /* the owner, and members */
    bool over;
    struct member *first; /* the thread that started it; NULL once it is over */
    unsigned count;
    struct pmu_event_request requests[PMU_EVENTS_MAX];
    struct pmu_plan plan;
    uint64_t counts[PMU_EVENTS_MAX], ran[PMU_EVENTS_MAX]; /* time in cycles */
    uint64_t time, user_time, migrations;
};

static const struct pmu_place *places(const struct pmu_set *set, unsigned turn)
{
    return set->plan.place[turn];
}

static void leave(struct pmu_set *set)
{
    uintptr_t state = spinlock_acquire(&set->lock);
    unsigned left = --set->users;

    spinlock_release(&set->lock, state);
    if (left == 0)
        kmem_free(set);
}

/* By the member's thread, interrupts off. */
static void fold(struct member *m)
{
    struct pmu_set *set = m->set;
    const struct pmu_place *place = places(set, m->turn);
    const struct thread *thread = thread_current();
    uint64_t value[PMU_EVENTS_MAX] = {0}, now = cpu_time_of_thread(thread), slice;

    for (unsigned e = 0; set->plan.turns > 0 && e < set->count; e++)
        if (place[e].counter >= 0)
            (void)pmc_get_counter_value(m->l, place[e].counter, 0, &value[e]);
    spinlock_lock(&set->lock);
    slice = now - m->time;
    for (unsigned e = 0; !set->over && set->plan.turns > 0 && e < set->count; e++) {
        if (place[e].counter < 0)
            continue;
        set->counts[e] += value[e] - m->folded[place[e].counter];
        set->ran[e] += slice;
        m->folded[place[e].counter] = value[e];
    }
    if (!set->over) {
        set->time += slice;
        set->user_time += thread->user_cycles - m->user_time;
        set->migrations += thread->migrations - m->migrations;
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
    const struct pmu_place *a = &places(set, from)[event], *b = &places(set, to)[event];

    return from != to && a->counter >= 0 && a->counter == b->counter && a->code == b->code;
}

/* Prepares the counters of turn TO, FROM having been the last; equal: there was none. */
static int configure(struct member *m, unsigned from, unsigned to, unsigned *bad)
{
    struct pmu_set *set = m->set;
    int error = 0;

    for (unsigned e = 0; e < set->count && error == 0; e++) {
        const struct pmu_place *place = &places(set, to)[e];
        struct pmc_counter_cfg cfg = {place->code, 0, set->requests[e].modes};

        *bad = e;
        if (place->counter < 0 || stays(set, from, to, e))
            continue;
        error = pmc_configure_counter(m->l, place->counter, &cfg);
        m->folded[place->counter] = 0;
    }
    return error;
}

/* The event asked for first begins last and ends first, so that its count is the closest. */
static int enable(struct member *m, unsigned from, unsigned to)
{
    int error = 0;

    for (unsigned e = m->set->count; e-- > 0 && error == 0;)
        if (places(m->set, to)[e].counter >= 0 && !stays(m->set, from, to, e))
            error = pmc_enable_counter(m->l, places(m->set, to)[e].counter);
    return error;
}

static void disable(struct member *m, unsigned from, unsigned to)
{
    for (unsigned e = 0; e < m->set->count; e++)
        if (places(m->set, from)[e].counter >= 0 && !stays(m->set, from, to, e))
            (void)pmc_disable_counter(m->l, places(m->set, from)[e].counter);
}

static void tick(struct lwp *l)
{
    struct member *m = l->l_pmc_set;
    struct pmu_set *set = m->set;
    unsigned next, bad;

    fold(m);
    if (set->plan.turns == 0)
        return;
    if (set->over) {
        disable(m, m->turn, m->turn);
        return;
    }
    next = (m->turn + 1) % set->plan.turns;
    if (next == m->turn)
        return;
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

    child->l_pmc_set = NULL;
    if (m == NULL)
        return;
    m->set = from->set;
    m->l = child;
    m->turn = *(const volatile unsigned *)&from->turn;
    state = spinlock_acquire(&m->set->lock);
    m->set->users++;
    spinlock_release(&m->set->lock, state);
    if (m->set->plan.turns > 1) {
        for (int ctr = 0; ctr < pmc_get_num_counters(); ctr++)
            (void)pmc_disable_counter(child, ctr);
        if (configure(m, m->turn, m->turn, &bad) == 0)
            (void)enable(m, m->turn, m->turn);
    }
    child->l_pmc_set = m;
}

static void thread_ends(struct lwp *l, struct lwp *parent)
{
    struct member *m = l->l_pmc_set;
    uintptr_t state = interrupts_save();

    (void)parent;
    fold(m);
    l->l_pmc_set = NULL;
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
    for (unsigned turn = 0; turn < m->set->plan.turns; turn++)
        for (unsigned e = 0; e < m->set->count; e++)
            if (places(m->set, turn)[e].counter >= 0)
                (void)pmc_release_counter(m->l, places(m->set, turn)[e].counter);
}

/* Every turn is tried, so that none fails at a tick; the first one stays. */
static int try_turns(struct member *m, unsigned *bad)
{
    int error = 0;

    for (unsigned turn = m->set->plan.turns; turn-- > 0 && error == 0;)
        error = configure(m, turn, turn, bad);
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
        m->l->l_pmc_set = m;
        if (plan->turns > 0)
            error = enable(m, 0, 0);
        if (error != 0)
            m->l->l_pmc_set = NULL;
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
    fold(m);
    m->l->l_pmc_set = NULL;
    spinlock_lock(&set->lock);
    set->over = true;
    set->first = NULL;
    spinlock_unlock(&set->lock);
    interrupts_restore(state);
    release(m);
    leave(set);
    kmem_free(m);
}

/* The sums, and what the first thread has to add to them; whose turn that is, in folds and turn. */
static void copy_sums(struct pmu_set *set, struct pmu_set *sums, struct member *first)
{
    uintptr_t state = spinlock_acquire(&set->lock);

    *sums = *set;
    if (set->first != NULL)
        *first = *set->first;
    spinlock_release(&set->lock, state);
}

/* Adds what the first thread has counted since its last fold; false if it folded meanwhile. */
static bool add_first(struct pmu_set *set, struct pmu_set *sums, const struct member *first)
{
    uintptr_t state;
    uint64_t slice;
    bool still;

    for (unsigned e = 0; sums->plan.turns > 0 && e < sums->count; e++) {
        int counter = places(sums, first->turn)[e].counter;
        uint64_t value;

        if (counter >= 0 && pmc_get_counter_value(first->l, counter, 0, &value) == 0)
            sums->counts[e] += value - first->folded[counter];
    }
    state = spinlock_acquire(&set->lock);
    still = set->first != NULL && set->first->folds == first->folds;
    slice = still ? cpu_time_of_thread(first->thread) - first->time : 0;
    spinlock_release(&set->lock, state);
    for (unsigned e = 0; sums->plan.turns > 0 && e < sums->count; e++)
        if (places(sums, first->turn)[e].counter >= 0)
            sums->ran[e] += slice;
    sums->time += slice;
    return still;
}

static void give_out(const struct pmu_set *sums, struct pmu_set_values *out)
{
    out->over = sums->over;
    out->user_ns = clock_cycles_to_ns(sums->user_time);
    out->system_ns = clock_cycles_to_ns(sums->time - sums->user_time);
    for (unsigned e = 0; e < sums->count; e++) {
        struct pmu_set_value *value = &out->event[e];

        value->enabled_ns = value->ran_ns = clock_cycles_to_ns(sums->time);
        switch (sums->requests[e].kind) {
        case PMU_EVENT_CLOCK:
            value->count = value->enabled_ns;
            break;
        case PMU_EVENT_MIGRATIONS:
            value->count = sums->migrations;
            break;
        case PMU_EVENT_COUNTED:
            value->count = sums->counts[e];
            value->ran_ns = clock_cycles_to_ns(sums->ran[e]);
            break;
        }
    }
}

struct reading {
    struct pmu_set *set, *sums;
    uint64_t time;
    bool done;
};

/* On the CPU where the first thread runs: all its counters, the sums and the time at once. */
static void read_here(void *argument)
{
    struct reading *reading = argument;
    struct pmu_set *set = reading->set;
    const struct thread *self = thread_current();
    bool here;

    spinlock_lock(&set->lock);
    here = set->first != NULL && set->first->thread == self && self->lwp.l_pmc_set == set->first;
    spinlock_unlock(&set->lock);
    if (!here || reading->done)
        return;
    fold(set->first);
    spinlock_lock(&set->lock);
    *reading->sums = *set;
    spinlock_unlock(&set->lock);
    reading->time = clock_now();
    reading->done = true;
}

/* Wherever the first thread is; if that cannot be said, because it comes and goes all the time, the
 * sums as of its last fold, at most a tick ago. */
static uint64_t read_sums(struct pmu_set *set, struct pmu_set *sums)
{
    struct reading reading = {.set = set, .sums = sums};
    struct member first;

    for (unsigned attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
        cross_call_all(read_here, &reading);
        if (reading.done)
            return reading.time;
        copy_sums(set, sums, &first);
        if (sums->first == NULL || add_first(set, sums, &first))
            return clock_now();
    }
    copy_sums(set, sums, &first);
    return clock_now();
}

uint64_t pmu_set_read(struct pmu_set *set, struct pmu_set_values *out)
{
    struct pmu_set *sums = kmem_alloc(sizeof *sums);
    uint64_t time;

    memset(out, 0, sizeof *out);
    if (sums == NULL)
        return clock_now();
    time = read_sums(set, sums);
    give_out(sums, out);
    kmem_free(sums);
    return time;
}

void pmu_set_free(struct pmu_set *set)
{
    leave(set);
}
