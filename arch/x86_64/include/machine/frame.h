/* SPDX-License-Identifier: BSD-2-Clause */
/* What vector.S saves, lowest address first. */
#pragma once

#define FRAME_CALL_GATE        0x80  /* vectors of the two ways to call: int $0x80, */
#define FRAME_CALL_INSTRUCTION 0x100 /* syscall, which has none */
#define FRAME_SIZE             176

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

struct trap_frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rbx, rdx, rcx, rax, rsi, rdi, rbp;
    uint64_t vector;
    uint64_t error; /* pushed by the CPU; 0; of an interrupt, the vector */
    uint64_t rip, cs, rflags, rsp, ss;
};
_Static_assert(sizeof(struct trap_frame) == FRAME_SIZE, "FRAME_SIZE");

static inline uintptr_t trap_frame_pc(const struct trap_frame *frame)
{
    return frame->rip;
}

static inline void trap_frame_set_pc(struct trap_frame *frame, uintptr_t pc)
{
    frame->rip = pc;
}

static inline bool trap_frame_is_user(const struct trap_frame *frame)
{
    return (frame->cs & 3) != 0;
}

static inline bool trap_frame_interrupts(const struct trap_frame *frame)
{
    return (frame->rflags & 0x200) != 0;
}

static inline uint64_t trap_frame_number(const struct trap_frame *frame)
{
    return frame->rax;
}

static inline uint64_t trap_frame_argument(const struct trap_frame *frame, unsigned n)
{
    const uint64_t arguments[6] = {frame->rdi, frame->rsi, frame->rdx,
                                   frame->r10, frame->r8,  frame->r9};

    return arguments[n];
}

static inline void trap_frame_set_result(struct trap_frame *frame, uint64_t value)
{
    frame->rax = value;
}

static inline uint64_t trap_frame_result(const struct trap_frame *frame)
{
    return frame->rax;
}

static inline void trap_frame_repeat(struct trap_frame *frame)
{
    frame->rip -= 2; /* int $0x80: cd 80; syscall: 0f 05 */
}
#endif
