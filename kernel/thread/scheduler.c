/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler: each CPU picks the most urgent thread of its own queue and switches to it. Thread
 * switches are counted here, and only here: in the thread that loses the CPU and in the CPU;
 * involuntary ones, where a tick or a more urgent thread took it, once more. Where threads wait is
 * placement.c's business.
 *
 * A thread may stand in a queue while its last CPU is still busy leaving it: its on_cpu is set
 * until the registers are saved (context_switch clears it), and no other CPU continues it before.
 */
#include "kernel/thread/scheduler.h"
#include <arch/aspace.h>
#include <arch/context.h>
#include <arch/interrupt_flag.h>
#include "kernel/time/clock.h"
#include "kernel/time/cpu_clock.h"
#include "kernel/base/panic.h"
#include "kernel/thread/placement.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/thread/counting.h"
#include "kernel/thread/run_queue.h"
#include "kernel/thread/standstill.h"
#include "kernel/thread/user.h"

/* Whether a thread of this CPU's queue has its registers in another CPU still. */
static inline bool scheduler_is_elsewhere(const struct thread *thread)
{
    return QUEUES_SHARED && thread->on_cpu;
}

enum because { BY_ITSELF, BY_OTHERS };

/* With what this CPU has to do besides. */
static inline void scheduler_switch_to(const struct cpu *cpu, struct thread *from,
                                       struct thread *to, uintptr_t state)
{
    if (__builtin_expect(cpu->switch_by != NULL, 0)) {
        cpu->switch_by(from, to, state);
        return;
    }
    context_switch(&from->stack_pointer, to->stack_pointer, state);
}

/* From a thread with a user's registers, and on as without them. */
static void scheduler_switch_from_user(struct thread *from, struct thread *to, uintptr_t state)
{
    thread_user_save(from);
    scheduler_switch_to(cpu_current(), from, to, state);
}

/* Apart, so that a switch between kernel threads calls nothing and saves nothing for it. */
static __attribute__((noinline)) void scheduler_switch_aspace(struct thread *from,
                                                              struct thread *to, uintptr_t state)
{
    aspace_activate(to->aspace);
    scheduler_switch_to(cpu_current(), from, to, state);
}

void scheduler_switch_changed(struct cpu *cpu)
{
    if (cpu->user_unsaved)
        cpu->switch_by = scheduler_switch_from_user;
    else
        cpu->switch_by = PMC_KEPT && cpu->pmc ? thread_counting->hand_over : NULL;
}

/* At NOW, the CPU's own time. Until then nobody can say what FROM has had: who asks waits, so that
 * nothing comes in between that may take long, or that gives another CPU its turn in QEMU. */
static inline void scheduler_hand_over_time(struct thread *from, struct thread *to, uint64_t now)
{
    CPU_TIME(from->cycles += now);
    CPU_TIME(to->cycles -= now);
}

/* The CPU goes from FROM, which is queued wherever it belongs, to TO, which has its time already;
 * interrupts off, then as STATE says. */
static inline void scheduler_hand_over(struct cpu *cpu, struct thread *from, struct thread *to,
                                       uintptr_t state, enum because why)
{
    if (QUEUES_SHARED)
        to->on_cpu = 1;
    from->switches++;
    cpu->switches++;
    if (why == BY_OTHERS && from != cpu->idle) { /* afterwards: they are never more */
        __asm__ volatile("" : : : "memory");
        from->involuntary++;
        cpu->involuntary++;
    }
    cpu->current = to;
    thread_user_look(cpu);
    if (__builtin_expect(to->aspace != NULL, 0)) {
        scheduler_switch_aspace(from, to, state);
        return;
    }
    scheduler_switch_to(cpu, from, to, state);
}

static inline void scheduler_hand_over_idle(struct cpu *cpu, struct thread *from, struct thread *to,
                                            uintptr_t state, enum because why)
{
    uint64_t now = cpu_own_time(cpu);

    if (to == cpu->idle)
        cpu->time_idle -= now;
    else if (from == cpu->idle)
        cpu->time_idle += now;
    scheduler_hand_over_time(from, to, now);
    if (from == cpu->idle) {
        placement_end_idle(cpu);
        if (cpu->clock.resting)
            clock_end_rest(&cpu->clock);
    }
    scheduler_hand_over(cpu, from, to, state, why);
}

/* The most urgent ready thread gets the CPU, or the idle thread. With the queue's lock, which it
 * releases. */
static void scheduler_switch_away(struct cpu *cpu, struct thread *from, uintptr_t state,
                                  enum because why)
{
    struct thread *to = run_queue_take(&cpu->ready);

    if (to && to != from && scheduler_is_elsewhere(to)) { /* look again from idle */
        run_queue_add_first(&cpu->ready, to);
        to = NULL;
    }
    if (!to)
        to = cpu->idle;
    cpu->current = to; /* before the next waker compares its thread with what runs here */
    queue_unlock(&cpu->ready);
    cpu->reschedule = false;
    if (to == from) {
        thread_user_look(cpu); /* it may have been interrupted while it was to sleep */
        interrupts_restore(state);
        return;
    }
    scheduler_hand_over_idle(cpu, from, to, state, why);
}

/* The running thread may not stay here. */
static void scheduler_leave(struct cpu *cpu, struct thread *self, uintptr_t state)
{
    placement_send_away(self);
    queue_lock(&cpu->ready);
    scheduler_switch_away(cpu, self, state, BY_ITSELF);
}

bool scheduler_settle(struct thread *thread)
{
    struct cpu *cpu = cpu_current();

    if (thread != cpu->current)
        return placement_settle(thread);
    if (!placement_allows(thread, cpu->id))
        scheduler_leave(cpu, thread, interrupts_save());
    return true;
}

void scheduler_block(void)
{
    uintptr_t state = interrupts_save();
    struct cpu *cpu = cpu_current();

    ASSERT(!cpu->in_handler && cpu->preempt_off == 0);
    queue_lock(&cpu->ready);
    scheduler_switch_away(cpu, cpu->current, state, BY_ITSELF);
}

/* With the queue's lock: to the first of SELF's equals that wait, if nobody more urgent does, and
 * the lock is released. False: nothing was done. */
static inline bool scheduler_take_turns(struct cpu *cpu, struct thread *self, uintptr_t state,
                                        enum because why)
{
    struct run_list *list = &cpu->ready.lists[self->priority];
    struct thread *to = list->first;

    if ((uint8_t)cpu->ready.top != self->priority) /* -1 is none's */
        return false;
    if (__builtin_expect(scheduler_is_elsewhere(to), 0))
        return false;
    run_queue_rotate(list, self, to);
    queue_unlock(&cpu->ready);
    scheduler_hand_over_time(self, to, cpu_own_time(cpu));
    scheduler_hand_over(cpu, self, to, state, why);
    return true;
}

static __attribute__((noinline)) void
scheduler_yield_to_higher(struct cpu *cpu, struct thread *self, uintptr_t state)
{
    if (cpu->ready.top < self->priority) {
        queue_unlock(&cpu->ready);
        interrupts_restore(state);
        return;
    }
    if (self != cpu->idle)
        run_queue_add(&cpu->ready, self);
    scheduler_switch_away(cpu, self, state, BY_ITSELF);
}

void thread_yield(void)
{
    uintptr_t state = interrupts_save();
    struct cpu *cpu = cpu_current();
    struct thread *self = cpu->current;

    queue_lock(&cpu->ready);
    if (__builtin_expect(!scheduler_take_turns(cpu, self, state, BY_ITSELF), 0))
        scheduler_yield_to_higher(cpu, self, state);
}

struct aspace *thread_set_aspace(struct aspace *aspace)
{
    uintptr_t state = interrupts_save();
    struct thread *self = cpu_here.current;
    struct aspace *before = self->aspace;

    self->aspace = aspace;
    if (aspace)
        aspace_activate(aspace);
    interrupts_restore(state);
    return before;
}

static void scheduler_preempt(struct cpu *cpu, struct thread *self)
{
    uintptr_t state = interrupts_save();
    int top;

    if (cpu->preempt_off)
        return;
    if (QUEUES_SHARED && __builtin_expect(cpu->stand != 0, 0))
        standstill_join(cpu);
    if (!placement_allows(self, cpu->id)) {
        scheduler_leave(cpu, self, state);
        return;
    }
    cpu->reschedule = false; /* who is queued from here on says so again */
    queue_lock(&cpu->ready);
    if (scheduler_take_turns(cpu, self, state, BY_OTHERS))
        return;
    top = cpu->ready.top;
    if (top < self->priority || top < 0) {
        queue_unlock(&cpu->ready);
        return;
    }
    if (self != cpu->idle) {
        if (top > self->priority)
            run_queue_add_first(&cpu->ready, self);
        else
            run_queue_add(&cpu->ready, self);
    }
    scheduler_switch_away(cpu, self, state, BY_OTHERS);
}

void thread_preempt(void)
{
    struct cpu *cpu = cpu_current();
    struct thread *self = cpu->current;

    self->returning = cpu->returning; /* whoever runs here next returns from nothing */
    cpu->returning = false;
    scheduler_preempt(cpu, self);
    self->returning = false;
}

void thread_tick(void)
{
    struct cpu *cpu = cpu_current();

    if (cpu->ready.top >= cpu->current->priority) { /* a time slice is a tick */
        cpu->reschedule = true;
        cpu->attention = 1;
    }
    scheduler_balance();
}

_Noreturn void thread_idle(void)
{
    struct cpu *cpu = cpu_current(); /* the idle thread stays where it is */

    for (;;) {
        interrupts_disable();
        while (run_queue_top(&cpu->ready) >= 0) {
            thread_preempt();
            interrupts_enable();
            cpu_relax(); /* after sti no interrupt comes before the next instruction has ended */
            interrupts_disable();
        }
        cpu->reschedule = false;
        placement_begin_idle(cpu);
        if (run_queue_top(&cpu->ready) < 0 && !placement_steal(cpu))
            cpu_wait(&cpu->reschedule);
    }
}
