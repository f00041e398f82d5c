/* SPDX-License-Identifier: BSD-2-Clause */
/* Who runs next. Between threads, wait queues and the interrupt exit; interrupts off for every
 * call. */
#pragma once

#include <arch/cpu.h>
#include "kernel/cpu.h"
#include "kernel/thread.h"

/* Makes a sleeping or new thread ready; asks for a switch if it is more urgent than the running
 * one. */
void scheduler_ready(struct thread *thread);
/* The running thread goes to sleep or ends (its state says which); returns when it runs again. */
void scheduler_block(void);

/* Handler of the line SMP_RESCHEDULE. */
int scheduler_interrupt(void *);

/* At a tick: whether another thread is waiting for the running one's turn to end. */
static inline bool thread_turn_over(void)
{
    const struct cpu *cpu = cpu_current();

    return cpu->ready.top >= cpu->current->priority;
}
