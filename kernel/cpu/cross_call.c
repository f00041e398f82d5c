/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cross calls: a list of requests for each CPU. A request lies on its caller's stack, who waits
 * until it is done, and does its own CPU's requests meanwhile.
 */
#include "kernel/cpu/cross_call.h"
#include <arch/interrupt_flag.h>
#include <arch/smp.h>
#include "kernel/cpu/cpu.h"
#include "kernel/base/panic.h"
#include "kernel/cpu/preempt.h"

/* Not spinlock_lock, which would poll. */
static void cross_call_list_lock(struct cpu *cpu)
{
    while (!spinlock_try(&cpu->calls_lock))
        cpu_relax();
}

/* Whether there was something to do. */
static bool cross_call_run_calls(void)
{
    uintptr_t state = interrupts_save();
    struct cpu *cpu = cpu_current();
    struct cross_call *call;
    bool any = cpu->calls != NULL;

    if (!any) {
        cpu_relax(); /* an emulator that runs one CPU at a time goes on to the next */
    } else {
        cross_call_list_lock(cpu);
        call = cpu->calls;
        cpu->calls = NULL;
        spinlock_unlock(&cpu->calls_lock);
        while (call) {
            struct cross_call *next = call->next;

            call->function(call->argument);
            cpu->cross_calls++;
            __atomic_thread_fence(__ATOMIC_RELEASE);
            call->done = true; /* from here on it is gone */
            call = next;
        }
    }
    interrupts_restore(state);
    return any;
}

void cross_call_poll(void)
{
    cross_call_run_calls();
}

/* Who waits for other CPUs polls, and may have done already what it is interrupted for: that one is
 * spurious. */
int cross_call_interrupt(void *unused)
{
    bool any = cross_call_run_calls();

    (void)unused;
    cpu_relax(); /* so that an emulator that runs one CPU at a time goes on to the one that waits */
    return any;
}

static void cross_call_post(struct cpu *cpu, struct cross_call *call, enum smp_ipi kind)
{
    struct cross_call **tail;
    uintptr_t state = interrupts_save();

    cross_call_list_lock(cpu);
    for (tail = (struct cross_call **)&cpu->calls; *tail; tail = &(*tail)->next)
        ;
    *tail = call;
    spinlock_unlock(&cpu->calls_lock);
    interrupts_restore(state);
    smp_send(cpu->id, kind);
}

/* The lowest of SET, which is then without it. */
static unsigned cross_call_take_first(cpu_set_t *set)
{
    unsigned first = (unsigned)__builtin_ctz(*set);

    *set &= *set - 1;
    return first;
}

/* The caller's own share is done in between. */
void cross_call_set(cpu_set_t set, enum smp_ipi kind, void (*function)(void *), void *argument)
{
    struct cross_call calls[CPU_MAX] = {{NULL}};
    cpu_set_t others, left;
    uintptr_t state;

    ASSERT(cpu_count() == 1 || (interrupts_enabled() && !cpu_here.in_handler));
    preempt_disable(); /* or this CPU might become one that was called already */
    others = set & ((cpu_set_t)(1ull << cpu_count()) - 1) & ~(1u << cpu_here.id);
    for (left = others; left;) {
        unsigned n = cross_call_take_first(&left);

        calls[n] = (struct cross_call){NULL, function, argument, false};
        cross_call_post(cpu_of(n), &calls[n], kind);
    }
    if (set >> cpu_here.id & 1) {
        state = interrupts_save();
        function(argument);
        interrupts_restore(state);
    }
    for (left = others; left;) {
        unsigned n = cross_call_take_first(&left);

        while (!calls[n].done)
            cross_call_poll();
    }
    preempt_enable();
}

void cross_call_start(unsigned cpu, struct cross_call *call)
{
    ASSERT(cpu < cpu_count() && call->done);
    call->next = NULL;
    call->done = false;
    cross_call_post(cpu_of(cpu), call, SMP_CALL);
}

void cross_call_one(unsigned cpu, void (*function)(void *), void *argument)
{
    ASSERT(cpu < cpu_count());
    cross_call_set(1u << cpu, SMP_CALL, function, argument);
}

void cross_call_all(void (*function)(void *), void *argument)
{
    cross_call_set(CPU_SET_ALL, SMP_CALL, function, argument);
}
