/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine contract: more than one CPU. A machine that knows only one returns 1 from smp_find
 * and does nothing in the others. CPU 0 is the one that booted.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Why one CPU interrupts another. Each is an interrupt line of its own, with the kernel's handler.
 */
enum smp_ipi {
    SMP_RESCHEDULE, /* look at your run queue */
    SMP_CALL,       /* run the functions that others have left for you: kernel/cpu/cross_call.h */
    SMP_TLB,        /* the same, for forgetting translations */
    SMP_STANDSTILL, /* who stands still is to go on: kernel/thread/standstill.h */
    SMP_IPIS
};

/* How many CPUs the board says it has, 1 to CPU_MAX. Start-up, once, before lines are attached. */
unsigned smp_find(void);
/*
 * Starts the others, one by one: each calls ENTER, which does not return, on its idle stack with
 * interrupts off, with cpu_current() and everything else of its own in place. Returns the number
 * that run, with itself; those that did not answer in time are named in the log. Thread 0,
 * interrupts on, the clock runs.
 */
unsigned smp_start(void (*enter)(void));
/* Interrupts CPU, not the caller's own. Any context. */
void smp_send(unsigned cpu, enum smp_ipi what);
/* Halts until an SMP_STANDSTILL has been served, and serves no other interrupt meanwhile (NMIs
 * aside). Interrupts off. */
void smp_wait_standstill(void);
/* Panic: makes every other running CPU call panic_stopped() (kernel/console/panic_report.h),
 * whatever it is doing (NMI). */
void smp_stop_others(void);

/* This CPU's event timer, as smp_start's CPUs need it before clock_start_cpu. */
void smp_timer_start(void);
