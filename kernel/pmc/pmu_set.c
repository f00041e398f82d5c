/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets of events: see pmu_set.h. Each thread that counts a set is a member. It folds what its
 * counters have counted since the last time into the set's sums: at its clock ticks, at its end,
 * and when the set is stopped; always by itself, with interrupts off.
 */
#include "kernel/pmc/pmu_set.h"
#include <arch/interrupt_flag.h>
#include "kernel/thread/thread_time.h"
#include "kernel/memory/kmem.h"
#include "kernel/base/panic.h"
#include "kernel/pmc/pmu_set_private.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "stats/port.h"

static void pmu_set_leave(struct pmu_set *set)
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

    l->l_pmc_set = m ? &m->member : NULL;
    stats_port_unlock(lock);
}

/* By the member's thread, interrupts off. */
void pmu_set_fold(struct member *m)
{
    struct pmu_set *set = m->set;
    struct thread *thread = thread_current();
    uint64_t value[PMU_EVENTS_MAX] = {0}, now = cpu_time_of_thread(thread), slice;
    int counter[PMU_EVENTS_MAX] = {0};
    uint32_t held = set->plan.slices > 0 ? pmc_hold_counters() : 0;

    for (unsigned e = 0; e < set->count; e++) {
        counter[e] = counter_of(m, m->slice, e);
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
    spinlock_unlock(&set->lock);
}

/* Whether the event goes on counting where it does from one slice to the next. */
static bool pmu_set_stays(const struct pmu_set *set, unsigned from, unsigned to, unsigned event)
{
    struct pmu_assignment a = assignment_of(set, from, event), b = assignment_of(set, to, event);

    return from != to && a.counter >= 0 && a.counter == b.counter && a.code == b.code;
}

/* Prepares the counters of slice TO, FROM having been the last; equal: there was none. The first
 * error, of event *BAD: its counter is not to be had, and lost from now on; nobody may tell of it.
 */
static int pmu_set_configure(struct member *m, unsigned from, unsigned to, unsigned *bad,
                             struct pmu_refusal *refusal)
{
    struct pmu_set *set = m->set;
    struct pmu_refusal unused;
    int first = 0, error;

    for (unsigned e = 0; e < set->count; e++) {
        struct pmu_assignment assigned = assignment_of(set, to, e);
        struct pmc_counter_cfg cfg = {assigned.code, 0, set->requests[e].modes};

        if (counter_of(m, to, e) < 0 || pmu_set_stays(set, from, to, e))
            continue;
        error = pmc_configure_as(&pmu_set_owner, m->l, assigned.counter, &cfg,
                                 first == 0 ? refusal : &unused);
        m->folded[assigned.counter] = 0;
        if (error == 0)
            continue;
        m->lost |= 1u << assigned.counter;
        if (first == 0) {
            first = error;
            *bad = e;
        }
    }
    return first;
}

/* Counters of slice SLICE that do not stay for slice OTHER; equal: there is no other. */
static uint32_t pmu_set_changing(const struct member *m, unsigned slice, unsigned other)
{
    uint32_t mask = 0;

    for (unsigned e = 0; e < m->set->count; e++) {
        int counter = counter_of(m, slice, e);

        if (counter >= 0 && !pmu_set_stays(m->set, other, slice, e))
            mask |= 1u << counter;
    }
    return mask;
}

/* Counters of all slices, also of those that were lost. */
static uint32_t pmu_set_used(const struct member *m)
{
    uint32_t mask = m->lost;

    for (unsigned slice = 0; slice < m->set->plan.slices; slice++)
        mask |= pmu_set_changing(m, slice, slice);
    return mask;
}

/* All of MASK; or, if one of them is just being taken away, the others. */
static int pmu_set_switch_counters(struct member *m, uint32_t mask, bool on)
{
    int error = pmc_enable_as(&pmu_set_owner, m->l, mask, on);

    for (int ctr = 0; error != 0 && mask >> ctr != 0; ctr++)
        if (mask >> ctr & 1)
            (void)pmc_enable_as(&pmu_set_owner, m->l, 1u << ctr, on);
    return error;
}

static int pmu_set_enable(struct member *m, unsigned from, unsigned to)
{
    return pmu_set_switch_counters(m, pmu_set_changing(m, to, from), true);
}

static void pmu_set_disable(struct member *m)
{
    (void)pmu_set_switch_counters(m, pmu_set_changing(m, m->slice, m->slice), false);
}

/* While one of the slice's counters is just being taken away, the others, too, count on in it: what
 * is counted until that is told is still its event's. */
static void pmu_set_tick(struct lwp *l)
{
    struct member *m = member_of(l);
    struct pmu_set *set = m->set;
    struct pmu_refusal refusal;
    unsigned next, bad;
    uint32_t ending;
    int error;

    pmu_set_fold(m);
    if (set->plan.slices == 0)
        return;
    if (set->over) {
        pmu_set_disable(m);
        return;
    }
    if (set->plan.slices == 1)
        return;
    next = m->slice + 1;
    ending = pmu_set_changing(m, m->slice, next);
    error = pmc_enable_as(&pmu_set_owner, l, ending, false);
    if (error == EBUSY)
        return;
    if (error != 0) /* a new thread did not get one of them: the others by themselves */
        (void)pmu_set_switch_counters(m, ending, false);
    (void)pmu_set_configure(m, m->slice, next, &bad, &refusal);
    (void)pmu_set_enable(m, m->slice, next);
    m->slice = next;
}

/* A new thread's counters of its first slice count; those that it did not get never will. */
static void pmu_set_begin(struct member *m)
{
    uint32_t mask = pmu_set_changing(m, m->slice, m->slice);

    for (int ctr = 0; mask >> ctr != 0; ctr++)
        if (mask >> ctr & 1 && pmc_enable_as(&pmu_set_owner, m->l, 1u << ctr, true) != 0)
            m->lost |= 1u << ctr;
}

/* A new thread, which has not run. What it has inherited may be of a slice that is over. */
static void pmu_set_fork(struct lwp *parent, struct lwp *child)
{
    const struct member *from = member_of(parent);
    struct member *m = from->set->over ? NULL : kmem_zalloc(sizeof *m);
    struct pmu_refusal refusal;
    uintptr_t state;
    unsigned bad;

    if (m == NULL)
        return;
    m->member = from->member;
    m->set = from->set;
    m->lost = from->lost;
    m->l = child;
    m->slice = *(const volatile unsigned *)&from->slice;
    state = spinlock_acquire(&m->set->lock);
    m->set->users++;
    spinlock_release(&m->set->lock, state);
    if (m->set->plan.slices > 1) {
        (void)pmu_set_switch_counters(m, pmu_set_used(m), false);
        (void)pmu_set_configure(m, m->slice, m->slice, &bad, &refusal);
    }
    if (m->set->plan.slices > 0)
        pmu_set_begin(m);
    set_member(child, m);
}

static void pmu_set_thread_ends(struct lwp *l, struct lwp *parent)
{
    struct member *m = member_of(l);
    uintptr_t state = interrupts_save(), lock;

    (void)parent;
    pmu_set_fold(m);
    lock = stats_port_lock();
    for (unsigned e = 0; e < m->set->count; e++)
        m->set->ended[e] += m->own[e];
    l->l_pmc_set = NULL;
    stats_port_unlock(lock);
    interrupts_restore(state);
    pmu_set_leave(m->set);
    kmem_free(m);
}

/* Until now they counted; the time from now on is not theirs. Interrupts off, by the member. */
static void pmu_set_lost(struct lwp *l, uint32_t mask)
{
    struct member *m = member_of(l);

    if (m == NULL)
        return; /* the set is just beginning, or over */
    pmu_set_fold(m);
    m->lost |= mask;
    spinlock_lock(&m->set->lock);
    if (m->set->first == m)
        m->set->lost |= mask;
    spinlock_unlock(&m->set->lock);
}

const struct pmu_owner pmu_set_owner = {.name = "pmc stat",
                                        .rank = PMU_RANK_THREAD,
                                        .lost = pmu_set_lost,
                                        .tick = pmu_set_tick,
                                        .fork = pmu_set_fork,
                                        .exit = pmu_set_thread_ends};

uint32_t pmu_set_free_counters(void)
{
    uint32_t free = 0;

    for (int ctr = 0; ctr < pmc_get_num_counters(); ctr++)
        if (!pmc_counter_isconfigured(curlwp, ctr))
            free |= 1u << ctr;
    return free;
}

/* Gives the counters of all slices back. */
static void pmu_set_release(struct member *m)
{
    uint32_t mask = pmu_set_used(m);

    for (int ctr = 0; mask >> ctr != 0; ctr++)
        if (mask >> ctr & 1)
            (void)pmc_release_as(&pmu_set_owner, m->l, ctr);
}

/* Every slice is tried, so that none fails at a tick; the first one stays. */
static int pmu_set_try_slices(struct member *m, unsigned *bad, struct pmu_refusal *refusal)
{
    unsigned slices = m->set->plan.slices;
    int error = 0;

    for (unsigned slice = slices; slice-- > 0 && error == 0;)
        error = pmu_set_configure(m, slice + 1 < slices ? slice + 1 : slice, slice, bad, refusal);
    return error;
}

static struct member *pmu_set_create(const struct pmu_event_request *requests, unsigned count,
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
    m->member.owner = &pmu_set_owner;
    m->set = set;
    m->l = curlwp;
    m->thread = thread_current();
    return m;
}

int pmu_set_start(struct pmu_set **out, const struct pmu_event_request *requests, unsigned count,
                  const struct pmu_plan *plan, unsigned *bad, struct pmu_refusal *refusal)
{
    struct member *m;
    uintptr_t state;
    int error;

    *bad = 0;
    *refusal = (struct pmu_refusal){.counter = -1};
    if (curlwp->l_pmc_set != NULL) {
        refusal->holder = &pmu_set_owner;
        return EBUSY;
    }
    m = pmu_set_create(requests, count, plan);
    if (m == NULL)
        return ENOMEM;
    error = pmu_set_try_slices(m, bad, refusal);
    if (error == 0) {
        *out = m->set;
        state = interrupts_save();
        m->time = cpu_time_of_thread(m->thread);
        m->user_time = m->thread->user_cycles;
        m->migrations = m->thread->migrations;
        set_member(m->l, m);
        if (plan->slices > 0)
            error = pmu_set_enable(m, 0, 0);
        if (error != 0)
            set_member(m->l, NULL);
        interrupts_restore(state);
    }
    if (error != 0) {
        pmu_set_release(m);
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
    if (set->plan.slices > 0)
        pmu_set_disable(m);
    pmu_set_fold(m);
    set_member(m->l, NULL);
    spinlock_lock(&set->lock);
    set->over = true;
    set->first = NULL;
    spinlock_unlock(&set->lock);
    interrupts_restore(state);
    pmu_set_release(m);
    pmu_set_leave(set);
    kmem_free(m);
}

void pmu_set_free(struct pmu_set *set)
{
    pmu_set_leave(set);
}
