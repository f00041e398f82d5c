/* SPDX-License-Identifier: BSD-2-Clause */
/* Who runs next, and where. Between threads, wait queues and the interrupt exit; interrupts off for
 * every call. */
#pragma once

#include <arch/cpu.h>
#include "kernel/cpu/cpu.h"
#include "kernel/thread/thread.h"

/*
 * Makes a sleeping or new thread ready, on its last CPU if that is idle, else on an idle one that
 * it may use, else on its last; asks for a switch there if it is more urgent than what runs.
 */
void scheduler_ready(struct thread *thread);
/* The running thread goes to sleep or ends (its state says which); returns when it runs again. */
void scheduler_block(void);
/* If THREAD runs on another CPU, that one comes into the kernel now. Keeps CPUs' memory accesses
 * before it and after it apart. */
void scheduler_poke(const struct thread *thread);
/* Switches on CPU, the caller's own, have something else to do besides, or no longer: its pmc or
 * user_unsaved has changed. */
void scheduler_switch_changed(struct cpu *cpu);
/* Moves THREAD, if it is ready or running, to a CPU of its affinity; true when it is on one of
 * them, or asleep. */
bool scheduler_settle(struct thread *thread);
/* At a tick of a CPU with more than one thread: gives one to the CPU whose turn it is to be looked
 * at, if that has at least two less. */
void scheduler_balance(void);
/* Handler of the line SMP_RESCHEDULE (argument unused). Always claims. */
int scheduler_interrupt(void *);
