/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler: picks the most urgent ready thread and switches to it. Thread switches are counted
 * here, and only here, in the thread that loses the CPU; involuntary ones, where a tick or a more
 * urgent thread took it, once more.
 */
#include "kernel/scheduler.h"
#include <arch/context.h>
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "kernel/cpu.h"
#include "kernel/panic.h"
#include "kernel/run_queue.h"

/* The CPU goes from FROM, which is queued wherever it belongs, to TO; interrupts off, then as STATE
 * says. */
static inline void hand_over(struct cpu *cpu, struct thread *from, struct thread *to,
                             uintptr_t state)
{
    uint64_t now = cycles_now();

    (void)now;
    from->switches++;
    cpu->current = to;
    context_switch(&from->stack_pointer, to->stack_pointer, state);
}

/* The most urgent ready thread gets the CPU, or the idle thread. */
static void switch_away(struct cpu *cpu, struct thread *from, uintptr_t state)
{
    struct thread *to = run_queue_take(&cpu->ready);

    if (!to)
        to = cpu->idle;
    cpu->reschedule = false;
    if (to == from)
        interrupts_restore(state);
    else
        hand_over(cpu, from, to, state);
}

void scheduler_ready(struct thread *thread)
{
    struct cpu *cpu = cpu_current();

    thread->state = THREAD_READY;
    run_queue_add(&cpu->ready, thread);
    if (thread->priority > cpu->current->priority) {
        cpu->reschedule = true;
        cpu->attention = 1;
    }
}

void scheduler_block(void)
{
    uintptr_t state = interrupts_save();
    struct cpu *cpu = cpu_current();

    ASSERT(cpu->depth == 0 && cpu->current->preempt_off == 0);
    switch_away(cpu, cpu->current, state);
}

static __attribute__((noinline)) void yield_to_higher(struct cpu *cpu, struct thread *self,
                                                      uintptr_t state)
{
    if (cpu->ready.top < self->priority) {
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

    if (__builtin_expect(cpu->ready.top == self->priority, 1))
        hand_over(cpu, self, run_queue_rotate(&cpu->ready, self), state);
    else
        yield_to_higher(cpu, self, state);
}

void thread_preempt(void)
{
    struct cpu *cpu = cpu_current();
    struct thread *self = cpu->current;
    int top = cpu->ready.top;

    if (cpu->current->preempt_off)
        return;
    if (top < self->priority || top < 0) {
        cpu->reschedule = false;
        return;
    }
    if (self != cpu->idle) {
        if (top > self->priority)
            run_queue_add_first(&cpu->ready, self);
        else
            run_queue_add(&cpu->ready, self);
    }
    self->involuntary++;
    switch_away(cpu, self, interrupts_save());
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
    cpu_current()->current->preempt_off++;
    __asm__ volatile("" : : : "memory");
}

void preempt_enable(void)
{
    struct cpu *cpu = cpu_current();

    __asm__ volatile("" : : : "memory");
    ASSERT(cpu->current->preempt_off > 0);
    if (--cpu->current->preempt_off == 0 && cpu->reschedule) {
        cpu->attention = 1; /* if it cannot be now, splx or the end of an interrupt will do it */
        splx(cpu->ipl);
    }
}

_Noreturn void thread_idle(void)
{
    struct cpu *cpu = cpu_current();

    for (;;) {
        interrupts_disable();
        while (cpu->ready.top >= 0)
            thread_preempt();
        cpu_wait(&cpu->reschedule);
    }
}
