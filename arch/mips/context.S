/* SPDX-License-Identifier: BSD-2-Clause */
/* Switching stacks, waiting for interrupts, and the kernel's setjmp. */
#include <machine/register.h>

    .set noreorder
    .text
    .globl context_switch, context_first, trap_jump_set, trap_jump_to, cpu_idle_check
    .type context_switch, @function
context_switch:
    sd s0, -96(sp)
    sd s1, -88(sp)
    sd s2, -80(sp)
    sd s3, -72(sp)
    sd s4, -64(sp)
    sd s5, -56(sp)
    sd s6, -48(sp)
    sd s7, -40(sp)
    sd fp, -32(sp)
    sd ra, -24(sp)
    sd a2, -16(sp)
    sd sp, 0(a0)                /* interrupts are off, so nothing writes below sp */
    move sp, a1
    ld a2, -16(sp)
    ld s0, -96(sp)
    ld s1, -88(sp)
    ld s2, -80(sp)
    ld s3, -72(sp)
    ld s4, -64(sp)
    ld s5, -56(sp)
    ld s6, -48(sp)
    ld s7, -40(sp)
    ld fp, -32(sp)
    ld ra, -24(sp)
    jr ra
    mtc0 a2, $12                /* Status: interrupts as they were */
    .size context_switch, . - context_switch

    .type context_first, @function
context_first:
    move ra, zero
    j thread_start
    nop
    .size context_first, . - context_first

/*
 * cpu_idle(work): waits for an interrupt unless *work is set, with interrupts on. One that comes between the test and
 * the wait puts EPC back to the test (see mips_restart), so that no wake-up is slept through.
 */
    .globl cpu_idle
    .type cpu_idle, @function
cpu_idle:
    mfc0 t0, $12
    ori t0, t0, 1
    mtc0 t0, $12
cpu_idle_check:
    lbu k1, 0(a0)               /* every instruction that must not be torn apart has 27 in its bits 20-16 */
    bne zero, k1, 1f
    li k1, 0
    .word 0x421b0020            /* wait, with 27 in its code field */
1:  jr ra
    nop
    .size cpu_idle, . - cpu_idle

    .type trap_jump_set, @function
trap_jump_set:
    sd s0, 0(a0)
    sd s1, 8(a0)
    sd s2, 16(a0)
    sd s3, 24(a0)
    sd s4, 32(a0)
    sd s5, 40(a0)
    sd s6, 48(a0)
    sd s7, 56(a0)
    sd fp, 64(a0)
    sd sp, 72(a0)
    sd ra, 80(a0)
    jr ra
    move v0, zero
    .size trap_jump_set, . - trap_jump_set

    .type trap_jump_to, @function
trap_jump_to:
    ld s0, 0(a0)
    ld s1, 8(a0)
    ld s2, 16(a0)
    ld s3, 24(a0)
    ld s4, 32(a0)
    ld s5, 40(a0)
    ld s6, 48(a0)
    ld s7, 56(a0)
    ld fp, 64(a0)
    ld sp, 72(a0)
    ld ra, 80(a0)
    jr ra
    li v0, 1
    .size trap_jump_to, . - trap_jump_to

    .section .note.GNU-stack, "", @progbits
