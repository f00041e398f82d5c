/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine contract: what stands in struct trap_frame (<machine/frame.h>). It has one layout,
 * whatever led into the kernel: an exception, or, out of user mode, also a system call or an
 * interrupt. All registers of the program are in it but those of struct user_state (<arch/user.h>).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct trap_frame;

/* Where it happened. */
static inline uintptr_t trap_frame_pc(const struct trap_frame *frame);
static inline void trap_frame_set_pc(struct trap_frame *frame, uintptr_t pc);
static inline bool trap_frame_is_user(const struct trap_frame *frame);
/* Whether interrupts were on. */
static inline bool trap_frame_interrupts(const struct trap_frame *frame);

/* Of a system call: its number, its arguments (below 6) by the Linux convention of the machine, and
 * the register of the result. */
static inline uint64_t trap_frame_number(const struct trap_frame *frame);
static inline uint64_t trap_frame_argument(const struct trap_frame *frame, unsigned n);
static inline void trap_frame_set_result(struct trap_frame *frame, uint64_t value);
static inline uint64_t trap_frame_result(const struct trap_frame *frame);
/* The program makes the system call again. The first time it is asked, and no other register has
 * changed. */
static inline void trap_frame_repeat(struct trap_frame *frame);

#include <machine/frame.h>
