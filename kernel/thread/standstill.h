/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Standstill: every CPU waits at a safe point while one of them looks. A CPU's safe point is the
 * end of an interrupt in a thread that could lose it there: it is in no handler, has nothing
 * deferred, holds no spinlock, has not turned preemption off, and nothing that it does with
 * interrupts off is in the middle.
 */
#pragma once

#include <stdint.h>

struct cpu;

/*
 * Runs EACH() (if not NULL) on every CPU, once or more, and then FUNCTION(ARGUMENT) on this one,
 * interrupts off, while all stand still: 0, or -EBUSY if some CPU (its number: *LATE) did not come
 * in ten seconds. One at a time; others wait. FUNCTION may take spinlocks. Thread context,
 * interrupts on, no spinlock held. No interrupt handler may wait for a thread of another CPU while
 * it interrupts the caller: nobody gives up but the caller, so that thread stands as long.
 */
int standstill(void (*each)(void), void (*function)(void *), void *argument, unsigned *late);

/* The scheduler: this CPU has been asked (cpu->stand), and is at its safe point. Interrupts off. */
void standstill_join(struct cpu *cpu);
/* Handler of the line SMP_STANDSTILL. */
int standstill_interrupt(void *);
