/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What pmc(9) asks of the kernel: the running thread, every CPU, thread switches and ticks; and
 * what becomes of a thread's counters when it is born or ends.
 */
#include <arch/interrupt_flag.h>
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cross_call.h"
#include "kernel/device/late.h"
#include "kernel/pmc/pmc_switch.h"
#include "kernel/thread/counting.h"
#include "kernel/thread/scheduler.h"
#include "kernel/thread/thread.h"
#include "kernel/time/timer.h"
#include "lib/section.h"
#include "stats/pmc/pmc_private.h"

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

uint32_t pmc_port_number(const struct lwp *l)
{
    return thread_of_lwp(l)->id;
}

void pmc_port_each_cpu(void (*function)(void *), void *argument)
{
    cross_call_all(function, argument);
}

static void pmc_port_tick(struct timer *timer)
{
    uintptr_t state = interrupts_save();

    pmc_tick();
    if (cpu_here.pmc)
        timer_set(timer, clock_now() + TICK_NS, pmc_port_tick);
    interrupts_restore(state);
}

void pmc_port_begin(struct pmc_cpu *cpu)
{
    struct cpu *here = cpu_current();

    here->pmc = cpu;
    scheduler_switch_changed(here);
    timer_set(&ticks[here->id], clock_now() + TICK_NS, pmc_port_tick);
}

void pmc_port_current(struct lwp *l)
{
    (void)l;
}

void pmc_port_end(struct pmc_cpu *cpu)
{
    (void)cpu;
    cpu_current()->pmc = NULL; /* and so the timer is not set again */
    scheduler_switch_changed(cpu_current());
}

static void pmc_port_born(struct thread *thread)
{
    pmc_fork(curlwp, &thread->lwp); /* without memory it counts nothing */
}

static void pmc_port_ends(struct thread *thread, struct thread *parent)
{
    if (thread->lwp.l_pmc_set)
        thread->lwp.l_pmc_set->owner->exit(&thread->lwp, parent ? &parent->lwp : NULL);
    if (parent)
        pmc_accumulate(&parent->lwp, &thread->lwp);
}

static void pmc_port_ended(struct thread *thread)
{
    pmc_process_exit(&thread->lwp);
}

/* Before any class of counters is there. */
static void pmc_port_attach(void)
{
    static const struct thread_counting counting = {pmc_hand_over, pmc_port_born, pmc_port_ends,
                                                    pmc_port_ended};

    thread_counting = &counting;
}
LATE(0, pmc_port_attach);
