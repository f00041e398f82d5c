/* SPDX-License-Identifier: BSD-2-Clause */
/* Between exceptions and user mode: trap.c, user_trap.c, branch.c, user_state.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct trap_frame;

#define TRAP_CALL 8 /* code of a system call */

/* Any exception but a system call of a user; interrupts off. */
void exception_dispatch(struct trap_frame *frame);
void exception_nmi(struct trap_frame *frame);
/* The thread has used CP1, whose state it gets; the instruction can be tried again. */
bool user_first_float(struct trap_frame *frame);
/* Does the `rdhwr` of the thread pointer for the program; false: it was another instruction. */
bool user_thread_pointer(struct trap_frame *frame);
/* Where a program goes on behind the instruction that FRAME stopped at, in a branch's delay slot or
 * not. 0: the branch cannot be read. */
uint64_t branch_next(const struct trap_frame *frame);
