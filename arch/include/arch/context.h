/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine contract: switching between kernel stacks. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Saves the callee-saved registers and the interrupt STATE (of interrupts_save) on the running
 * stack and its pointer in *FROM, continues with the stack pointer TO, and restores the interrupt
 * state that was saved there. Interrupts off. Returns to its caller's caller just as well, so the
 * last call of a function may be a jump here.
 */
void context_switch(void **from, void *to, uintptr_t state);

/*
 * Builds a stack on which context_switch will continue in thread_start (with interrupts off).
 * Returns the stack pointer. STACK is the lowest address.
 */
void *context_prepare(char *stack, size_t size);

/* Where a new stack starts; kernel/thread/thread.c. */
_Noreturn void thread_start(void);
