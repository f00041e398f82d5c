/* SPDX-License-Identifier: BSD-2-Clause */
/* What vector.S saves, lowest address first: at an exception, and out of user mode, everything; at
 * an interrupt of the kernel what calls do not preserve. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <machine/register.h>

struct trap_frame {
    uint64_t reg[32]; /* by number; 0, k0 and k1 hold nothing */
    uint64_t hi, lo;
    uint64_t epc, status, cause;
    uint64_t badvaddr; /* of a system call in a delay slot: its branch */
};
_Static_assert(sizeof(struct trap_frame) == FRAME_SIZE, "FRAME_SIZE");

struct interrupt_frame {
    uint64_t v0, v1, a[8], t9, hi, epc, status, lo, ra;
};

static inline uintptr_t trap_frame_pc(const struct trap_frame *frame)
{
    return frame->epc;
}

static inline void trap_frame_set_pc(struct trap_frame *frame, uintptr_t pc)
{
    frame->epc = pc;
}

static inline bool trap_frame_is_user(const struct trap_frame *frame)
{
    return (frame->status & STATUS_KSU) != 0;
}

static inline bool trap_frame_interrupts(const struct trap_frame *frame)
{
    return (frame->status & 1) != 0;
}

static inline uint64_t trap_frame_number(const struct trap_frame *frame)
{
    return frame->reg[2];
}

static inline uint64_t trap_frame_argument(const struct trap_frame *frame, unsigned n)
{
    return frame->reg[4 + n];
}

static inline void trap_frame_set_result(struct trap_frame *frame, uint64_t value)
{
    frame->reg[2] = value;
}

static inline uint64_t trap_frame_result(const struct trap_frame *frame)
{
    return frame->reg[2];
}

static inline void trap_frame_repeat(struct trap_frame *frame)
{
    frame->epc = frame->cause & CAUSE_BD ? frame->badvaddr : frame->epc - 4;
}
