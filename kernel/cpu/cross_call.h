/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions run on other CPUs, in their interrupt at IPL_SCHED with interrupts off: they may raise
 * counters, wake threads and take spinlocks; they may not sleep. The caller waits until they have
 * run. Thread context, interrupts on, no spinlock held (the other side may be waiting for it).
 */
#pragma once

#include <arch/smp.h>
#include <stdbool.h>
#include <stdint.h>
#include "kernel/cpu/cpu.h"

/* Runs FUNCTION(ARGUMENT) on CPU (below cpu_count()), which may be the caller's own. */
void cross_call_one(unsigned cpu, void (*function)(void *), void *argument);
struct cross_call {
    struct cross_call *next;
    void (*function)(void *);
    void *argument;
    volatile bool done;
};
/* Lets CPU, another one, run CALL->function(CALL->argument) soon, and does not wait. CALL is done
 * (true at first), and stays where it is until it is done again. Any context, by one CPU. */
void cross_call_start(unsigned cpu, struct cross_call *call);
/* On every CPU, the caller's included, at about the same time. */
void cross_call_all(void (*function)(void *), void *argument);
/* On those in SET that run, by an interrupt of that kind; the caller's own is one of them or not.
 */
void cross_call_set(cpu_set_t set, enum smp_ipi kind, void (*function)(void *), void *argument);

/* Handlers of the lines SMP_CALL and SMP_TLB; and for who waits awake for another CPU, with no
 * spinlock held: does what others have left here. */
int cross_call_interrupt(void *);
void cross_call_poll(void);
