/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What pmc(9) asks of the kernel: the running thread, every CPU, thread switches and ticks; and
 * what becomes of a thread's counters when it is born or ends.
 */
#include "kernel/pmc_port.h"
#include <arch/context.h>
#include <arch/interrupt_flag.h>
#include "kernel/clock.h"
#include "kernel/cpu.h"
#include "kernel/cross_call.h"
#include "kernel/thread.h"
#include "kernel/timer.h"
#include "lib/section.h"
#include "stats/pmc_private.h"

#define TICK_NS (1000000000ull / CLOCK_HZ)

/* A CPU's ticks while anybody counts: a timer, so that otherwise they cost nothing. */
static struct timer ticks[CPU_MAX] SHARED_BSS;

struct lwp *lwp_current(void)
{
    return &cpu_here.current->lwp;
}

uintptr_t pmc_port_interrupts_save(void)
{
    return interrupts_save();
}

void pmc_port_interrupts_restore(uintptr_t state)
{
    interrupts_restore(state);
}

unsigned pmc_port_cpu_count(void)
{
    return cpu_count();
}

void pmc_port_each_cpu(void (*function)(void *), void *argument)
{
    cross_call_all(function, argument);
}

static void tick(struct timer *timer)
{
    uintptr_t state = interrupts_save();

    pmc_tick();
    if (cpu_here.pmc)
        timer_set(timer, clock_now() + TICK_NS, tick);
    interrupts_restore(state);
}

void pmc_port_begin(struct pmc_cpu *cpu)
{
    struct cpu *here = cpu_current();

    here->pmc = cpu;
    timer_set(&ticks[here->id], clock_now() + TICK_NS, tick);
}

void pmc_port_current(struct lwp *l)
{
    (void)l;
}

void pmc_port_end(struct pmc_cpu *cpu)
{
    (void)cpu;
    cpu_current()->pmc = NULL; /* and so the timer is not set again */
}

static __attribute__((noinline)) void hand_over_anyhow(struct thread *from, struct thread *to,
                                                       uintptr_t state)
{
    cpu_here.leaving = from;
    pmc_switch_context(&from->lwp, &to->lwp);
    cpu_here.leaving = NULL;
    context_switch(&from->stack_pointer, to->stack_pointer, state);
}

/* Straight from thread to thread where both count the same. */
void pmc_hand_over(struct thread *from, struct thread *to, uintptr_t state)
{
    if (__builtin_expect(!pmc_can_swap(&from->lwp, &to->lwp), 0)) {
        if (from->lwp.l_pmc || to->lwp.l_pmc || pmc_system.profiling_mask != 0)
            hand_over_anyhow(from, to, state);
        else
            context_switch(&from->stack_pointer, to->stack_pointer, state);
        return;
    }
    from->lwp.l_pmc->swap(&from->stack_pointer, to->stack_pointer, state, &from->lwp.l_pmc->counts,
                          cpu_here.pmc->last, context_switch);
}

void pmc_thread_exit(struct thread *thread, struct thread *parent)
{
    const struct pmc_hooks *hooks = pmc_system.hooks;

    if (thread->lwp.l_pmc_set && hooks && hooks->exit)
        hooks->exit(&thread->lwp, parent ? &parent->lwp : NULL);
    if (parent)
        pmc_accumulate(&parent->lwp, &thread->lwp);
}
