/* SPDX-License-Identifier: BSD-2-Clause */
/* The ways between user mode and the kernel: what comes out of it (from arch/mips/vector.S), the way back, and how a thread
 * goes there for the first time. */
#include "arch/mips/vector.h"

    .set noreorder
    .set noat
    .section .text.vectors, "ax"
    .globl vector_user, vector_call
    .globl vector_status_user_trap, vector_status_user_return, vector_status_call, vector_status_call_return

/*
 * Out of user mode, interrupts too: a frame where the thread's kernel stack has room for it, in one page (user_start), so that
 * once the first store has not missed nothing does.
 */
    .type vector_user, @function
vector_user:
    lui k0, %hi(vector_user_stack)
    ld k0, %lo(vector_user_stack)(k0)
    sd sp, FRAME_REG(29) - FRAME_SIZE(k0)
    daddiu sp, k0, -FRAME_SIZE
    save_all
vector_status_user_trap:
    mtc0 t0, $12
    jal user_trap
    move a0, sp
vector_user_go:
    restore_all
vector_status_user_return:
    mtc0 k0, $12                /* EXL set */
    dmtc0 k1, $14
    ld sp, FRAME_REG(29)(sp)
    eret
    .size vector_user, . - vector_user

/*
 * A program's system call: Status in k0, its KSU in k1. The frame gets what Linux leaves unchanged by a call (all but at,
 * a6, a7, t0-t3, t8, hi and lo; v0 is the result, a3 tells of an error), less s0-s7 and fp: whatever is called here
 * preserves those. at, t0-t3 and t8 the kernel does not use, the rest becomes 0. As a rule that is all. Where there is more
 * to be done the frame is made whole first: also after a switch of threads, whose programs use all registers.
 */
    .type vector_call, @function
vector_call:
    beqz k1, 3f
    lui k1, %hi(vector_user_stack)
    ld k1, %lo(vector_user_stack)(k1)
    sd sp, FRAME_REG(29) - FRAME_SIZE(k1)
    daddiu sp, k1, -FRAME_SIZE
    sd v0, FRAME_REG(2)(sp)
    sd v1, FRAME_REG(3)(sp)
    sd a0, FRAME_REG(4)(sp)
    sd a1, FRAME_REG(5)(sp)
    sd a2, FRAME_REG(6)(sp)
    sd a3, FRAME_REG(7)(sp)
    sd a4, FRAME_REG(8)(sp)
    sd a5, FRAME_REG(9)(sp)
    sd t9, FRAME_REG(25)(sp)
    sd gp, FRAME_REG(28)(sp)
    sd ra, FRAME_REG(31)(sp)
    sd k0, FRAME_STATUS(sp)
    dmfc0 v1, $14
    andi v0, k0, STATUS_KERNEL
    andi a1, k0, STATUS_KERNEL | STATUS_IE
vector_status_call:
    mtc0 v0, $12
    daddiu v1, v1, 4
    sd v1, FRAME_EPC(sp)
    jal user_call
    move a0, sp
    bnez v1, 2f
    ld v1, FRAME_REG(3)(sp)
    ld a0, FRAME_REG(4)(sp)
    ld a1, FRAME_REG(5)(sp)
    ld a2, FRAME_REG(6)(sp)
    move a3, zero
    ld a4, FRAME_REG(8)(sp)
    ld a5, FRAME_REG(9)(sp)
    move a6, zero
    move a7, zero
    ld t9, FRAME_REG(25)(sp)
    mthi zero
    mtlo zero
    ld ra, FRAME_REG(31)(sp)
    ld k1, FRAME_EPC(sp)        /* as in restore_all */
    ld k0, FRAME_STATUS(sp)
vector_status_call_return:
    mtc0 k0, $12                /* EXL set */
    dmtc0 k1, $14
    ld sp, FRAME_REG(29)(sp)
    eret
2:  save_preserved
    sd zero, FRAME_REG(1)(sp)
    sd zero, FRAME_REG(10)(sp)
    sd zero, FRAME_REG(11)(sp)
    sd zero, FRAME_REG(12)(sp)
    sd zero, FRAME_REG(13)(sp)
    sd zero, FRAME_REG(14)(sp)
    sd zero, FRAME_REG(15)(sp)
    sd zero, FRAME_REG(24)(sp)
    sd zero, FRAME_HI(sp)
    sd zero, FRAME_LO(sp)
    sd zero, FRAME_CAUSE(sp)
    move a0, sp
    jal user_call_rest
    move a1, v0
    b vector_user_go
    nop
3:  j general_exception         /* the kernel's own */
    nop
    .size vector_call, . - vector_call

/* user_start(frame): a copy of the frame below this stack pointer, in one page. An interrupt may come at any instruction,
 * so sp goes from stack to stack in one. */
    .globl user_start
    .type user_start, @function
user_start:
    move a1, a0
    dsrl a2, sp, 9
    dsll a2, a2, 9
    daddiu sp, a2, -FRAME_SIZE
    move a0, sp
    jal memcpy
    li a2, FRAME_SIZE
    jal user_begin
    move a0, sp
    j vector_user_go
    nop
    .size user_start, . - user_start

    .section .note.GNU-stack, "", @progbits
