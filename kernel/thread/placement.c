/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where threads wait: wake-ups choose a CPU's queue, an idle CPU takes from the others, a tick
 * evens out, and an affinity that has changed moves its thread.
 */
#include "kernel/thread/placement.h"
#include <arch/smp.h>
#include "kernel/thread/scheduler.h"
#include "kernel/thread/user.h"

/*
 * CPUs that are idle and have nothing in their queues, and CPUs whose queues another CPU may look
 * into. So neither who wakes a thread nor who has nothing to do looks at all CPUs. Both are hints:
 * a bit too many costs a look, and none is missing when it matters. An idle CPU sets its own before
 * it looks into others' queues for the last time, and a waker looks after it has queued.
 */
static volatile cpu_set_t placement_idle_set, placement_ready_set;

static inline void placement_set_add(volatile cpu_set_t *set, unsigned cpu)
{
    if (!(*set >> cpu & 1))
        __atomic_or_fetch(set, (cpu_set_t)1 << cpu, __ATOMIC_SEQ_CST);
}

static inline void placement_set_take(volatile cpu_set_t *set, unsigned cpu)
{
    if (*set >> cpu & 1)
        __atomic_and_fetch(set, ~((cpu_set_t)1 << cpu), __ATOMIC_SEQ_CST);
}

/* The first member of SET from FIRST on, and round; SET is not empty. */
static unsigned placement_set_first(cpu_set_t set, unsigned first)
{
    cpu_set_t above = set >> first << first;

    return (unsigned)__builtin_ctz(above ? above : set);
}

static bool placement_is_idle(const struct cpu *cpu)
{
    return cpu->current == cpu->idle && run_queue_top(&cpu->ready) < 0;
}

/* An idle CPU of SET, looking first at CPU number FIRST; -1 if none. */
static int placement_find_idle(cpu_set_t set, unsigned first)
{
    set &= placement_idle_set;
    while (set) {
        unsigned n = placement_set_first(set, first);

        if (placement_is_idle(cpu_of(n)))
            return (int)n;
        set &= ~((cpu_set_t)1 << n);
    }
    return -1;
}

void placement_begin_idle(const struct cpu *cpu)
{
    if (QUEUES_SHARED && cpu_count() > 1)
        placement_set_add(&placement_idle_set, cpu->id);
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* the other half is in placement_queue_on */
}

void placement_end_idle(const struct cpu *cpu)
{
    if (QUEUES_SHARED)
        placement_set_take(&placement_idle_set, cpu->id);
}

/* With the queue's lock. */
static void placement_choose_in(struct cpu *cpu, struct thread *thread)
{
    run_queue_add(&cpu->ready, thread);
    if (!QUEUES_SHARED || cpu_count() == 1)
        return;
    placement_set_take(&placement_idle_set, cpu->id);
    if (thread->affinity & ~((cpu_set_t)1 << cpu->id))
        placement_set_add(&placement_ready_set, cpu->id);
}

static unsigned placement_first_allowed(const struct thread *thread)
{
    for (unsigned n = 0; n < cpu_count(); n++)
        if (placement_allows(thread, n))
            return n;
    return 0;
}

static unsigned placement_choose(const struct thread *thread)
{
    unsigned last = thread->cpu;
    int idle;

    if (cpu_count() == 1)
        return 0;
    if (!placement_allows(thread, last))
        last = placement_first_allowed(thread);
    if (thread->on_cpu)
        return last;
    idle = placement_find_idle(thread->affinity, last);
    return idle >= 0 ? (unsigned)idle : last;
}

static void placement_ask_to_switch(struct cpu *cpu)
{
    if (cpu == cpu_current()) {
        cpu->reschedule = true;
        cpu->attention = 1;
    } else {
        smp_send(cpu->id, SMP_RESCHEDULE);
    }
}

/* Queues THREAD on CPU. A CPU that became idle meanwhile is told, so that it comes and takes what
 * has to wait here. */
static void placement_queue_on(struct cpu *cpu, struct thread *thread)
{
    cpu_set_t set;
    bool urgent;
    int idle;

    for (;;) {
        queue_lock(&cpu->ready);
        if (thread->cpu != cpu->id) {
            thread->migrations++;
            cpu->migrations++;
            thread->cpu = cpu->id;
        }
        if (CPU_MAX == 1)
            break;
        __atomic_thread_fence(__ATOMIC_SEQ_CST); /* the other half is in thread_set_affinity */
        if (placement_allows(thread, cpu->id))
            break;
        queue_unlock(&cpu->ready); /* it may not wait here any more */
        cpu = cpu_of(placement_first_allowed(thread));
    }
    placement_choose_in(cpu, thread);
    set = thread->affinity;
    urgent = thread->priority > cpu->current->priority;
    queue_unlock(&cpu->ready); /* from here on it may run, and end */
    if (urgent)
        placement_ask_to_switch(cpu);
    if (cpu_count() == 1 || cpu->current == cpu->idle)
        return;
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* the other half is in thread_idle */
    idle = placement_find_idle(set, cpu->id);
    if (idle >= 0)
        placement_ask_to_switch(cpu_of((unsigned)idle));
}

void scheduler_ready(struct thread *thread)
{
    thread->state = THREAD_READY;
    if (cpu_count() >
        1) /* whoever changes the affinity sees it ready, or we see the new affinity */
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    placement_queue_on(cpu_of(placement_choose(thread)), thread);
}

void scheduler_poke(const struct thread *thread)
{
    const struct cpu *cpu;

    thread_user_look(cpu_current());
    if (cpu_count() == 1)
        return;
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* the other half is any switch's lock */
    cpu = cpu_of(*(const volatile uint32_t *)&thread->cpu);
    if (cpu != cpu_current() && *(struct thread *const volatile *)&cpu->current == thread)
        smp_send(cpu->id, SMP_RESCHEDULE);
}

int scheduler_interrupt(void *unused)
{
    struct cpu *cpu = cpu_current();

    (void)unused;
    thread_user_look(cpu); /* its thread may have been interrupted */
    if (run_queue_top(&cpu->ready) > cpu->current->priority ||
        !placement_allows(cpu->current, cpu->id) || cpu->current == cpu->idle || cpu->stand != 0) {
        cpu->reschedule = true;
        cpu->attention = 1;
    }
    return 1;
}

bool placement_steal(struct cpu *cpu)
{
    cpu_set_t set = placement_ready_set & ~((cpu_set_t)1 << cpu->id);

    if (!QUEUES_SHARED)
        return false;
    while (set) {
        unsigned n = placement_set_first(set, cpu->id);
        struct cpu *victim = cpu_of(n);
        struct thread *thread = NULL;

        set &= ~((cpu_set_t)1 << n);
        if (victim->current == victim->idle)
            continue;
        queue_lock(&victim->ready);
        if (run_queue_top(&victim->ready) >= 0)
            thread = run_queue_steal(&victim->ready, cpu->id);
        else
            placement_set_take(&placement_ready_set, n);
        queue_unlock(&victim->ready);
        if (thread) {
            placement_queue_on(cpu, thread);
            return true;
        }
    }
    return false;
}

static uint32_t placement_load(const struct cpu *cpu)
{
    return cpu->ready.count + (cpu->current != cpu->idle);
}

/* One CPU a tick, by turns: none takes longer because there are many. */
void scheduler_balance(void)
{
    struct cpu *cpu = cpu_current();
    uint32_t mine = placement_load(cpu);
    struct thread *thread;
    unsigned other;

    if (!QUEUES_SHARED || cpu_count() == 1 || mine < 2)
        return;
    other = cpu->evened + 1 < cpu_count() ? cpu->evened + 1 : 0;
    cpu->evened = other;
    if (placement_load(cpu_of(other)) + 2 > mine)
        return;
    queue_lock(&cpu->ready);
    thread = run_queue_steal(&cpu->ready, other);
    queue_unlock(&cpu->ready);
    if (thread)
        placement_queue_on(cpu_of(other), thread);
}

void placement_send_away(struct thread *thread)
{
    placement_queue_on(cpu_of(placement_first_allowed(thread)), thread);
}

bool placement_settle(struct thread *thread)
{
    struct cpu *cpu = cpu_of(thread->cpu);
    bool settled, queued;

    queue_lock(&cpu->ready);
    if (thread->cpu != cpu->id) {
        queue_unlock(&cpu->ready);
        return false;
    }
    queued = run_queue_remove(&cpu->ready, thread);
    if (queued && placement_allows(thread, cpu->id)) {
        placement_choose_in(cpu, thread); /* behind its equals: that is all that it loses */
        queue_unlock(&cpu->ready);
        return true;
    }
    if (cpu->current == thread)
        settled = placement_allows(thread, cpu->id);
    else
        settled = thread->state != THREAD_READY &&
                  !thread->on_cpu; /* asleep: who wakes it looks at its set */
    queue_unlock(&cpu->ready);
    if (queued)
        placement_send_away(thread);
    else if (!settled && cpu->current == thread && cpu != cpu_current())
        smp_send(cpu->id, SMP_RESCHEDULE);
    return queued || settled;
}
