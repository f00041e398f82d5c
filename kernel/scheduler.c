/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler: each CPU picks the most urgent thread of its own queue and switches to it;
 * wake-ups choose the queue, and a CPU that has nothing to do takes from the others. Thread
 * switches are counted here, and only here: in the thread that loses the CPU and in the CPU;
 * involuntary ones, where a tick or a more urgent thread took it, once more.
 *
 * A thread may stand in a queue while its last CPU is still busy leaving it: its on_cpu is set
 * until the registers are saved (context_switch clears it), and no other CPU continues it before.
 */
#include "kernel/scheduler.h"
#include <arch/context.h>
#include <arch/interrupt_flag.h>
#include <arch/smp.h>
#include "kernel/cpu_clock.h"
#include "kernel/panic.h"
#include "kernel/run_queue.h"

/* Interrupts are off: where there can be only one CPU, that is enough (the checked build checks all
 * the same). */
#define QUEUES_SHARED (CPU_MAX > 1)
#ifdef QUIPU_CHECKED
#define QUEUES_LOCKED true
#else
#define QUEUES_LOCKED QUEUES_SHARED
#endif

static inline void queue_lock(struct run_queue *queue)
{
    if (QUEUES_LOCKED)
        spinlock_lock(&queue->lock);
}

static inline void queue_unlock(struct run_queue *queue)
{
    if (QUEUES_LOCKED)
        spinlock_unlock(&queue->lock);
}

/* Whether a thread of this CPU's queue has its registers in another CPU still. */
static inline bool is_elsewhere(const struct thread *thread)
{
    return QUEUES_SHARED && thread->on_cpu;
}

/* The CPU goes from FROM, which is queued wherever it belongs, to TO; interrupts off, then as STATE
 * says. */
static inline void hand_over(struct cpu *cpu, struct thread *from, struct thread *to,
                             uintptr_t state)
{
    uint64_t now = cpu_own_time(cpu);

    from->cycles += now;
    to->cycles -= now;
    if (QUEUES_SHARED)
        to->on_cpu = 1;
    from->switches++;
    cpu->switches++;
    cpu->current = to;
    context_switch(&from->stack_pointer, to->stack_pointer, state);
}

static void hand_over_idle(struct cpu *cpu, struct thread *from, struct thread *to, uintptr_t state)
{
    uint64_t now = cpu_own_time(cpu);

    if (to == cpu->idle)
        cpu->time_idle -= now;
    else if (from == cpu->idle)
        cpu->time_idle += now;
    hand_over(cpu, from, to, state);
}

/* The most urgent ready thread gets the CPU, or the idle thread. With the queue's lock, which it
 * releases. */
static void switch_away(struct cpu *cpu, struct thread *from, uintptr_t state)
{
    struct thread *to = run_queue_take(&cpu->ready);

    if (to && to != from &&
        to->on_cpu) { /* its old CPU is not done with it: look again from idle */
        run_queue_add_first(&cpu->ready, to);
        to = NULL;
    }
    queue_unlock(&cpu->ready);
    if (!to)
        to = cpu->idle;
    cpu->reschedule = false;
    if (to == from)
        interrupts_restore(state);
    else
        hand_over_idle(cpu, from, to, state);
}

/* --- where --- */

static bool allowed(const struct thread *thread, unsigned cpu)
{
    return thread->affinity >> cpu & 1;
}

static bool is_idle(const struct cpu *cpu)
{
    return cpu->running && cpu->current == cpu->idle && cpu->ready.top < 0;
}

/* An idle CPU that THREAD may use, looking first at CPU number FIRST; -1 if none. */
static int find_idle(const struct thread *thread, unsigned first)
{
    unsigned count = cpu_count();

    for (unsigned i = 0; i < count; i++) {
        unsigned n = first + i < count ? first + i : first + i - count;

        if (allowed(thread, n) && is_idle(cpu_of(n)))
            return (int)n;
    }
    return -1;
}

static unsigned first_allowed(const struct thread *thread)
{
    for (unsigned n = 0; n < cpu_count(); n++)
        if (allowed(thread, n))
            return n;
    return 0;
}

static unsigned place(const struct thread *thread)
{
    unsigned last = thread->cpu;
    int idle;

    if (cpu_count() == 1)
        return 0;
    if (!allowed(thread, last))
        last = first_allowed(thread);
    if (thread->on_cpu)
        return last;
    idle = find_idle(thread, last);
    return idle >= 0 ? (unsigned)idle : last;
}

static void ask_to_switch(struct cpu *cpu)
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
static void queue_on(struct cpu *cpu, struct thread *thread)
{
    bool urgent;
    int idle;

    queue_lock(&cpu->ready);
    if (thread->cpu != cpu->id) {
        thread->migrations++;
        cpu->migrations++;
        thread->cpu = cpu->id;
    }
    run_queue_add(&cpu->ready, thread);
    urgent = thread->priority > cpu->current->priority;
    queue_unlock(&cpu->ready);
    if (urgent)
        ask_to_switch(cpu);
    if (cpu_count() == 1 || cpu->current == cpu->idle)
        return;
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* the other half is in thread_idle */
    idle = find_idle(thread, cpu->id);
    if (idle >= 0)
        ask_to_switch(cpu_of((unsigned)idle));
}

void scheduler_ready(struct thread *thread)
{
    thread->state = THREAD_READY;
    queue_on(cpu_of(place(thread)), thread);
}

int scheduler_interrupt(void *unused)
{
    struct cpu *cpu = cpu_current();

    (void)unused;
    if (cpu->ready.top > cpu->current->priority || !allowed(cpu->current, cpu->id) ||
        cpu->current == cpu->idle) {
        cpu->reschedule = true;
        cpu->attention = 1;
    }
    return 1;
}

/* A thread of another CPU's queue comes to this idle one. */
static bool steal(struct cpu *cpu)
{
    unsigned count = cpu_count();

    for (unsigned i = 1; i < count; i++) {
        unsigned n = cpu->id + i < count ? cpu->id + i : cpu->id + i - count;
        struct cpu *victim = cpu_of(n);
        struct thread *thread;

        if (victim->ready.top < 0 || victim->current == victim->idle)
            continue;
        queue_lock(&victim->ready);
        thread = run_queue_steal(&victim->ready, cpu->id);
        queue_unlock(&victim->ready);
        if (thread) {
            queue_on(cpu, thread);
            return true;
        }
    }
    return false;
}

static uint32_t load(const struct cpu *cpu)
{
    return cpu->ready.count + (cpu->current != cpu->idle);
}

void scheduler_balance(void)
{
    struct cpu *cpu = cpu_current();
    uint32_t mine = load(cpu);

    for (unsigned n = 0; n < cpu_count(); n++) {
        struct thread *thread;

        if (load(cpu_of(n)) + 2 > mine)
            continue;
        queue_lock(&cpu->ready);
        thread = run_queue_steal(&cpu->ready, n);
        queue_unlock(&cpu->ready);
        if (thread) {
            queue_on(cpu_of(n), thread);
            return;
        }
    }
}

/* The running thread may not stay here. */
static void leave(struct cpu *cpu, struct thread *self, uintptr_t state)
{
    queue_on(cpu_of(first_allowed(self)), self);
    queue_lock(&cpu->ready);
    switch_away(cpu, self, state);
}

bool scheduler_settle(struct thread *thread)
{
    struct cpu *cpu = cpu_of(thread->cpu);
    bool queued;

    if (thread == cpu_current()->current) {
        if (!allowed(thread, cpu->id))
            leave(cpu, thread, interrupts_save());
        return true;
    }
    queue_lock(&cpu->ready);
    if (thread->cpu != cpu->id) {
        queue_unlock(&cpu->ready);
        return false;
    }
    if (allowed(thread, cpu->id) || (thread->state != THREAD_READY && !thread->on_cpu)) {
        queue_unlock(&cpu->ready);
        return true;
    }
    queued = run_queue_remove(&cpu->ready, thread);
    queue_unlock(&cpu->ready);
    if (queued)
        queue_on(cpu_of(first_allowed(thread)), thread);
    else if (cpu != cpu_current())
        smp_send(cpu->id, SMP_RESCHEDULE);
    return queued;
}

/* --- when --- */

void scheduler_block(void)
{
    uintptr_t state = interrupts_save();
    struct cpu *cpu = cpu_current();

    ASSERT(cpu->depth == 0 && cpu->current->preempt_off == 0);
    queue_lock(&cpu->ready);
    switch_away(cpu, cpu->current, state);
}

static __attribute__((noinline)) void yield_to_higher(struct cpu *cpu, struct thread *self,
                                                      uintptr_t state)
{
    if (cpu->ready.top < self->priority) {
        queue_unlock(&cpu->ready);
        interrupts_restore(state);
        return;
    }
    if (self != cpu->idle)
        run_queue_add(&cpu->ready, self);
    switch_away(cpu, self, state);
}

void thread_yield(void)
{
    uintptr_t state = interrupts_save();
    struct cpu *cpu = cpu_current();
    struct thread *self = cpu->current;

    queue_lock(&cpu->ready);
    if (__builtin_expect(cpu->ready.top == self->priority, 1)) {
        struct run_list *list = &cpu->ready.lists[self->priority];
        struct thread *to = list->first;

        if (__builtin_expect(!is_elsewhere(to), 1)) {
            run_queue_rotate(list, self, to);
            queue_unlock(&cpu->ready);
            hand_over(cpu, self, to, state);
            return;
        }
    }
    yield_to_higher(cpu, self, state);
}

void thread_preempt(void)
{
    struct cpu *cpu = cpu_current();
    struct thread *self = cpu->current;
    uintptr_t state = interrupts_save();
    int top;

    if (self->preempt_off)
        return;
    if (!allowed(self, cpu->id)) {
        leave(cpu, self, state);
        return;
    }
    queue_lock(&cpu->ready);
    top = cpu->ready.top;
    if (top < self->priority || top < 0) {
        cpu->reschedule = false;
        queue_unlock(&cpu->ready);
        return;
    }
    if (self != cpu->idle) {
        if (top > self->priority)
            run_queue_add_first(&cpu->ready, self);
        else
            run_queue_add(&cpu->ready, self);
    }
    self->involuntary++;
    cpu->involuntary++;
    switch_away(cpu, self, state);
}

void thread_tick(void)
{
    struct cpu *cpu = cpu_current();

    if (thread_turn_over()) {
        cpu->reschedule = true;
        cpu->attention = 1;
    }
}

void preempt_disable(void)
{
    cpu_here.current->preempt_off++;
    __asm__ volatile("" : : : "memory");
}

void preempt_enable(void)
{
    struct thread *self = cpu_here.current;

    __asm__ volatile("" : : : "memory");
    ASSERT(self->preempt_off > 0);
    if (--self->preempt_off == 0 && cpu_here.reschedule) {
        cpu_here.attention =
            1; /* if it cannot be now, splx or the end of an interrupt will do it */
        splx(cpu_here.ipl);
    }
}

_Noreturn void thread_idle(void)
{
    struct cpu *cpu = cpu_current(); /* the idle thread stays where it is */

    for (;;) {
        interrupts_disable();
        while (cpu->ready.top >= 0) {
            thread_preempt();
            interrupts_enable();
            interrupts_disable();
        }
        cpu->reschedule = false;
        __atomic_thread_fence(__ATOMIC_SEQ_CST); /* the other half is in queue_on */
        if (!steal(cpu))
            cpu_wait(&cpu->reschedule);
    }
}
