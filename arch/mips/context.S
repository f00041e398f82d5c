/* SPDX-License-Identifier: BSD-2-Clause */
/* Switching stacks, waiting for interrupts, and the kernel's setjmp. */
#include <machine/register.h>

    .set noreorder
    .text
    .globl context_switch, context_first, trap_jump_set, trap_jump_to, cpu_idle_check, cpu_idle_end
    .type context_switch, @function
context_switch:
    daddiu sp, sp, -80
    sd s0, 0(sp)
    sd s1, 8(sp)
    sd s2, 16(sp)
    sd s3, 24(sp)
    sd s4, 32(sp)
    sd s5, 40(sp)
    sd s6, 48(sp)
    sd s7, 56(sp)
    sd fp, 64(sp)
    sd ra, 72(sp)
    sd sp, 0(a0)
    move sp, a1
    ld s0, 0(sp)
    ld s1, 8(sp)
    ld s2, 16(sp)
    ld s3, 24(sp)
    ld s4, 32(sp)
    ld s5, 40(sp)
    ld s6, 48(sp)
    ld s7, 56(sp)
    ld fp, 64(sp)
    ld ra, 72(sp)
    jr ra
    daddiu sp, sp, 80
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
    lbu t0, 0(a0)
    bnez t0, 1f
    nop
    .set push
    .set mips32
    wait
    .set pop
cpu_idle_end:
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
