/* SPDX-License-Identifier: BSD-2-Clause */
/* What each machine has its own way of: registers of calls, of births and of execve. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct trap_frame;

/* The result of a call, as programs expect it. */
void call_set_result(struct trap_frame *frame, long result);
/* The result of pipe(): at argument 0, or (MIPS) in two registers. */
long call_pair_out(struct trap_frame *frame, const int32_t numbers[2]);
/* The number of the call is NUMBER (Linux' own) when it is made again. */
void call_set_number(struct trap_frame *frame, unsigned number);
extern const unsigned call_restart_number; /* restart_syscall's */

/* A child's: with STACK, or (0) its parent's. */
void clone_frame(struct trap_frame *frame, uint64_t stack);

/* The registers that a program begins with. */
void exec_frame(struct trap_frame *frame, uint64_t entry, uint64_t stack);
/* What goes into a page of every program, for signals' handlers to return to; NULL: nothing. */
const void *exec_trampoline(size_t *size);
uint64_t abi_hwcap(void);
/* Bytes of a signal's frame at most, where it is larger than older programs expect; else 0. */
uint64_t abi_signal_frame_most(void);
