/* SPDX-License-Identifier: BSD-2-Clause */
/* User mode, for user.c, user_entry.S and trap.c. */
#pragma once

#define USER_VECTOR 0x80

/* struct user_run of <arch/user.h> */
#define USER_RUN_PC       8
#define USER_RUN_SP       16
#define USER_RUN_ARGUMENT 24
#define USER_RUN_CALLED   32
#define USER_RUN_RESULT   40
#define USER_RUN_AT       48

#ifndef __ASSEMBLER__
#include <stdint.h>

struct trap_frame;
struct user_run;

/* user_entry.S: notes the stack in *KERNEL_STACK and returns when user mode has been left. */
void user_enter_at(struct user_run *run, uint64_t *kernel_stack, uint64_t flags);
extern const char user_call[];
/* Ends user_enter_at, whose stack FRAME lies on. */
_Noreturn void user_fault(const struct trap_frame *frame);
_Noreturn void user_leave(uint64_t stack, uint64_t at, uint64_t result);
#endif
