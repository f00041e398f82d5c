/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine contract: switching between kernel stacks. */
#pragma once

#include <stddef.h>

/*
 * Saves the callee-saved registers on the running stack and its pointer in *FROM, continues with the stack pointer
 * TO. Interrupts off.
 */
void context_switch(void **from, void *to);

/*
 * Builds a stack on which context_switch will continue in thread_start (with interrupts off). Returns the stack
 * pointer. STACK is the lowest address.
 */
void *context_prepare(char *stack, size_t size);

/* Where a new stack starts; kernel/thread.c. */
_Noreturn void thread_start(void);

/* A stack of SIZE bytes with a guard page below it where the machine has paging for it; NULL if out of memory. */
char *context_stack_alloc(size_t size);
void context_stack_free(char *stack, size_t size);
