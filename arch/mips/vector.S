/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The exception vectors of MIPS: what is copied to 0x80000000 at boot, and where it leads. An interrupt saves what C
 * calls do not preserve, less at, t0-t3 and t8, which the kernel is compiled not to use (Makefile: -ffixed; tools/check/registers); any other
 * exception, and whatever comes out of user mode, saves everything (struct trap_frame).
 */
#include "arch/mips/vector.h"

#define EXCEPTION_STACK_SIZE 8192
#define STACK_GUARD          0x2000 /* bytes below a stack, see tlb.c */

    .set noreorder
    .set noat
    .section .text.vectors, "ax"
    .globl vector_refill, vector_refill_end, vector_general, vector_general_end
    .globl vector_interrupt, vector_interrupt_end

vector_refill:
    j tlb_refill_entry          /* the vectors and the kernel lie in the same 256 MiB */
    nop
vector_refill_end:

/* A program's call first, the shortest way; not one in a branch's delay slot. */
vector_general:
    mfc0 k1, $13                /* Cause; its sign is BD */
    bltz k1, 1f
    andi k1, k1, CAUSE_CODE
    xori k1, k1, CAUSE_CALL
    bnez k1, 1f
    mfc0 k0, $12                /* Status */
    j vector_call
    andi k1, k0, STATUS_KSU
1:  j general_exception
    mfc0 k0, $12
vector_general_end:

vector_interrupt:
    j vector_interrupted
    mfc0 k0, $12                /* Status */
vector_interrupt_end:

/*
 * What an interrupt saves, in 128 bytes (struct interrupt_frame). The lowest and the highest word are written first: then
 * the stack's pages are in the TLB, and nothing that the interrupted code needs has been changed before. Status is in
 * k0, Cause in k1; leaves EPC in a1.
 */
    .macro save_interrupted
    sd v0, -128(sp)
    sd ra, -8(sp)
    sd v1, -120(sp)
    sd a0, -112(sp)
    sd a1, -104(sp)
    sd a2, -96(sp)
    sd a3, -88(sp)
    sd a4, -80(sp)
    sd a5, -72(sp)
    sd a6, -64(sp)
    sd a7, -56(sp)
    sd t9, -48(sp)
    mfhi v0
    mflo v1
    dmfc0 a1, $14
    sd v0, -40(sp)
    sd a1, -32(sp)
    sd k0, -24(sp)
    sd v1, -16(sp)
    .endm

/* All of it again, from 0(sp) on; Status in k0 and EPC in k1, the last loads, in one line of the stack: they stay. */
    .macro restore_interrupted
    ld v0, 88(sp)
    ld v1, 112(sp)
    ld ra, 120(sp)
    mthi v0
    mtlo v1
    ld v0, 0(sp)
    ld v1, 8(sp)
    ld a0, 16(sp)
    ld a1, 24(sp)
    ld a2, 32(sp)
    ld a3, 40(sp)
    ld a4, 48(sp)
    ld a5, 56(sp)
    ld a6, 64(sp)
    ld a7, 72(sp)
    ld t9, 80(sp)
    ld k1, 96(sp)
    ld k0, 104(sp)
    .endm

/*
 * An interrupt of the kernel, as a rule the timer's, is dispatched to its line here. Of all others and of what must not
 * be torn apart interrupt_entry knows. Interrupts have a vector of their own where the CPU has Cause.IV (MIPS64 Architecture volume III,
 * 6.2), so that qpmu can tell one from an exception of the instruction before.
 *
 * The labels vector_status_* are where Status' mode bits change: those are told to a PMU that cannot see Status.
 */
    .globl general_exception, vector_status_table
    .type general_exception, @function
general_exception:
    mfc0 k1, $13                /* Cause */
    andi k1, k1, CAUSE_CODE
    bnez k1, 1f
    mfc0 k1, $13
vector_interrupted:
    andi k1, k0, STATUS_KSU
    bnez k1, vector_user
    mfc0 k1, $13
    save_interrupted
    andi v0, k0, STATUS_KERNEL  /* EXL and IE off */
    and a2, k1, k0              /* pending and not masked: good until EXL goes */
    andi v1, a2, CAUSE_IP7
vector_status_interrupt:
    mtc0 v0, $12
    beqz v1, 2f
    lhu v0, 0(a1)               /* bits 31-16 of the instruction: big-endian */
    li v1, 27                   /* k1's number, see interrupt_entry */
    andi v0, v0, 31
    beq v0, v1, 2f
    lui a0, %hi(vector_timer_line)
    daddiu sp, sp, -128
    jal interrupt_dispatch
    ld a0, %lo(vector_timer_line)(a0)
4:  restore_interrupted
vector_status_return:
    mtc0 k0, $12                /* as it was at entry, EXL set: nothing comes between here and eret */
    dmtc0 k1, $14
    daddiu sp, sp, 128
    .globl bench_timer_entry, bench_timer_return, bench_call_entry /* for tools/bench: where vectors are copied to */
    .set bench_timer_entry, 0xffffffff80000200
    .set bench_call_entry, 0xffffffff80000180
bench_timer_return:
    eret
2:  daddiu sp, sp, -128
    jal interrupt_entry
    move a0, sp
    b 4b
    nop
    .globl vector_interrupts_end /* with general_exception: where calls have an interrupt's frame at sp */
vector_interrupts_end:

/*
 * Everything else: all registers, in a frame on the thread's own stack. A TLB miss with EXL set leads here too: it is a
 * refill, unless the TLB holds an (invalid) entry already.
 */
1:  andi k0, k1, CAUSE_CODE
    daddiu k0, k0, -8           /* TLB load 2 << 2, TLB store 3 << 2 */
    sltiu k0, k0, 5
    beqz k0, 3f
    nop
    tlbp
    mfc0 k0, $0
    bltz k0, tlb_refill_entry
    nop
3:  mfc0 k0, $12
    andi k0, k0, STATUS_KSU
    beqz k0, vector_exception
    nop
    j vector_user
    nop
    .size general_exception, . - general_exception

/*
 * Of the kernel. A stack that overran cannot take the frame: its first stores, or what led here, then used an address near sp,
 * and with EXL set the way was taken once more. Only that goes to a stack of its own, to be reported. k1 is Cause.
 */
    .type vector_exception, @function
vector_exception:
    dmfc0 k0, $8
    dsubu k0, k0, sp
    daddiu k0, k0, STACK_GUARD
    dsrl k0, k0, 14             /* 2 * STACK_GUARD */
    bnez k0, 1f
    andi k0, k1, CAUSE_CODE
    daddiu k0, k0, -8           /* TLB and address errors: 2 to 5 */
    sltiu k0, k0, 16
    beqz k0, 1f
    nop
    move k1, sp
    dla sp, exception_frame
    b 2f
    nop
1:  sd AT, FRAME_REG(1) - FRAME_SIZE(sp)    /* lowest and highest first, as at an interrupt */
    sd zero, -8(sp)
    move k1, sp
    daddiu sp, sp, -FRAME_SIZE
2:  sd k1, FRAME_REG(29)(sp)
    save_all
vector_status_exception:
    mtc0 t0, $12
    jal exception_dispatch
    move a0, sp
    restore_all
vector_status_exception_return:
    mtc0 k0, $12                /* as it was at entry, EXL set: nothing comes between here and eret */
    dmtc0 k1, $14
    daddiu sp, sp, FRAME_SIZE   /* what is on the other stack does not return */
    eret
    .size vector_exception, . - vector_exception

/*
 * A non-maskable interrupt: the CPU begins at the reset vector, in the boot ROM, and that leads to the kernel's entry, which has seen
 * it in Status (k0). Nothing goes on after it, so its frame lies on a stack of its own. The ROM has used some of the registers.
 */
    .globl vector_nmi
    .type vector_nmi, @function
vector_nmi:
    li k1, STATUS_BOOT
    mtc0 k1, $12
    move k1, sp
    dla sp, exception_frame
    sd k1, FRAME_REG(29)(sp)
    save_all
    dmfc0 t2, $30               /* ErrorEPC */
    sd t2, FRAME_EPC(sp)
    sd k0, FRAME_STATUS(sp)
    jal exception_nmi
    move a0, sp
    .size vector_nmi, . - vector_nmi

    .section .rodata, "a"
    .balign 8
/* Where Status is written so that its mode bits change, and bits 4-1 afterwards (struct vector_status, vector.h). */
vector_status_table:
    .dword vector_status_interrupt, 0
    .dword vector_status_return, STATUS_EXL
    .dword vector_status_exception, 0
    .dword vector_status_exception_return, STATUS_EXL
    .dword vector_status_user_trap, 0
    .dword vector_status_user_return, STATUS_EXL
    .dword vector_status_call, 0
    .dword vector_status_call_return, STATUS_EXL
    .dword 0, 0

    .bss
    .balign 16
    .globl exception_frame
    .skip EXCEPTION_STACK_SIZE - FRAME_SIZE
exception_frame:
    .skip FRAME_SIZE

    .section .note.GNU-stack, "", @progbits
