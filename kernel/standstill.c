/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Standstill: see standstill.h. The caller asks each CPU with the interrupt that also asks it to
 * switch; so it comes to thread_preempt, and from there to standstill_join. While others are still
 * on their way, those that stand do what is asked of them by cross calls; then nobody does
 * anything.
 */
#include "kernel/standstill.h"
#include <arch/interrupt_flag.h>
#include <arch/smp.h>
#include <stdbool.h>
#include "kernel/clock.h"
#include "kernel/cpu.h"
#include "kernel/cross_call.h"
#include "kernel/mutex.h"
#include "kernel/thread.h"
#include "lib/errno.h"

#define PATIENCE_NS 1000000000ull
#define TRIES       10 /* who does not come may wait for one that stands; so they go on meanwhile */

static kmutex_t one_at_a_time = {.name = "standstill",
                                 .lock = SPINLOCK_INITIALIZER("mutex interlock"),
                                 .waiters = WAIT_QUEUE_INITIALIZER(one_at_a_time.waiters)};

/* Which one it is, never 0: who is asked for one that is over has nothing to wait for. */
static volatile uint32_t turn = 1;
static volatile uint32_t gathered; /* the turn for which all have come: nobody serves calls now */
/* The last turn that each CPU came for, and for which it saw all gathered; its own. */
static volatile uint32_t came[CPU_MAX], quiet[CPU_MAX];
static void (*each_function)(void); /* what every CPU does first */

void standstill_join(struct cpu *cpu)
{
    uint32_t mine = cpu->stand;

    cpu->stand = 0;
    __atomic_store_n(&came[cpu->id], mine, __ATOMIC_RELEASE);
    while (turn == mine && gathered != mine)
        cross_call_poll();
    if (turn == mine) {
        if (each_function)
            each_function();
        __atomic_store_n(&quiet[cpu->id], mine, __ATOMIC_RELEASE);
        while (turn == mine)
            cpu_relax();
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

/* The first CPU but this one whose mark is not of this turn; -1: none. */
static int missing(const volatile uint32_t *marks)
{
    for (unsigned n = 0; n < cpu_count(); n++)
        if (n != cpu_here.id && __atomic_load_n(&marks[n], __ATOMIC_ACQUIRE) != turn)
            return (int)n;
    return -1;
}

/* Whether all others came. */
static bool gather(unsigned *late)
{
    uint64_t deadline = clock_now() + PATIENCE_NS;

    for (unsigned n = 0; n < cpu_count(); n++) {
        if (n == cpu_here.id)
            continue;
        cpu_of(n)->stand = turn;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        smp_send(n, SMP_RESCHEDULE);
    }
    while (missing(came) >= 0) {
        if (clock_now() >= deadline) {
            *late = (unsigned)missing(came);
            return false;
        }
        cpu_relax();
    }
    return true;
}

static void disperse(void)
{
    for (unsigned n = 0; n < cpu_count(); n++)
        cpu_of(n)->stand = 0;
    __atomic_store_n(&turn, turn + 1 != 0 ? turn + 1 : 1, __ATOMIC_RELEASE);
}

/* Whether there was one. */
static bool try(void (*function)(void *), void *argument, unsigned *late)
{
    bool all = gather(late);
    uintptr_t state;

    if (all) {
        state = interrupts_save();
        gathered = turn;
        if (each_function)
            each_function();
        while (missing(quiet) >= 0)
            cpu_relax();
        function(argument);
        disperse();
        spl_restore(state);
    } else {
        disperse();
    }
    return all;
}

int standstill(void (*each)(void), void (*function)(void *), void *argument, unsigned *late)
{
    bool done = false;

    mutex_enter(&one_at_a_time);
    each_function = each;
    for (unsigned n = 0; n < TRIES && !done; n++) {
        preempt_disable();
        done = try(function, argument, late);
        preempt_enable();
        if (!done)
            thread_yield();
    }
    mutex_exit(&one_at_a_time);
    return done ? 0 : -EBUSY;
}
