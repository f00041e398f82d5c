/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads' stacks: THREAD_STACK_SIZE bytes above a guard page. Some of those that are given back
 * stay as they are for the next thread; of others the memory goes back, and the addresses are used
 * again.
 */
#pragma once

/* NULL: out of memory, or of addresses. Thread context; interrupts on, no lock held. */
char *stack_alloc(void);
void stack_free(char *stack);
