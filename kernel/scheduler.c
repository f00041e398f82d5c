/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scheduler: picks the most urgent ready thread and switches to it. Thread switches are counted here, and only
 * here: voluntary where the thread asked for it, involuntary where a tick or a more urgent thread took the CPU.
 */
#include "kernel/scheduler.h"
#include <sys/evcnt.h>
#include <arch/context.h>
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "kernel/clock.h"
#include "kernel/cpu.h"
#include "kernel/panic.h"
#include "kernel/run_queue.h"

static struct evcnt switches = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "scheduler", "switches");
EVCNT_ATTACH_STATIC(switches);

/* The running thread's state is set and it is queued wherever it belongs; another takes the CPU. */
static void switch_away(struct cpu *cpu, struct thread *from)
{
    struct thread *to = run_queue_take();
    uint64_t now;

    if (!to)
        to = cpu->idle;
    cpu->reschedule = false;
    if (to == from) {
        to->state = THREAD_RUNNING;
        return;
    }
    now = cycles_now();
    from->cycles += (now - cpu->switched_at) & CYCLES_MASK_OF(CYCLES_BITS);
    cpu->switched_at = now;
    to->state = THREAD_RUNNING;
    cpu->current = to;
    evcnt_incr(&switches);
    context_switch(&from->stack_pointer, to->stack_pointer);
}

void scheduler_ready(struct thread *thread)
{
    struct cpu *cpu = cpu_current();

    thread->state = THREAD_READY;
    run_queue_add(thread);
    if (thread->priority > cpu->current->priority) {
        cpu->reschedule = true;
        cpu->attention = true;
    }
}

void scheduler_block(void)
{
    struct cpu *cpu = cpu_current();
    struct thread *self = cpu->current;

    ASSERT(cpu->depth == 0 && cpu->preempt_off == 0);
    self->voluntary++;
    switch_away(cpu, self);
}

void thread_yield(void)
{
    uintptr_t state = interrupts_save();
    struct cpu *cpu = cpu_current();
    struct thread *self = cpu->current;

    if (run_queue_top() >= self->priority) {
        self->state = THREAD_READY;
        if (self != cpu->idle)
            run_queue_add(self);
        self->voluntary++;
        switch_away(cpu, self);
    }
    interrupts_restore(state);
}

void thread_preempt(void)
{
    struct cpu *cpu = cpu_current();
    struct thread *self = cpu->current;
    int top = run_queue_top();

    if (cpu->preempt_off)
        return;
    if (self != cpu->idle && top < self->priority) {
        cpu->reschedule = false;
        return;
    }
    if (top < 0) {
        cpu->reschedule = false;
        return;
    }
    self->state = THREAD_READY;
    if (self != cpu->idle) {
        if (top > self->priority)
            run_queue_add_first(self);
        else
            run_queue_add(self);
    }
    self->involuntary++;
    switch_away(cpu, self);
}

void thread_tick(void)
{
    struct cpu *cpu = cpu_current();

    if (run_queue_top() >= cpu->current->priority) {
        cpu->reschedule = true;
        cpu->attention = true;
    }
}

void preempt_disable(void)
{
    cpu_current()->preempt_off++;
    __asm__ volatile("" : : : "memory");
}

void preempt_enable(void)
{
    struct cpu *cpu = cpu_current();

    __asm__ volatile("" : : : "memory");
    ASSERT(cpu->preempt_off > 0);
    if (--cpu->preempt_off == 0 && cpu->reschedule) {
        cpu->attention = true; /* if it cannot be now, splx or the end of an interrupt will do it */
        splx(cpu->ipl);
    }
}

_Noreturn void thread_idle(void)
{
    struct cpu *cpu = cpu_current();

    for (;;) {
        interrupts_disable();
        while (run_queue_top() >= 0)
            thread_preempt();
        cpu_wait(&cpu->reschedule);
    }
}
