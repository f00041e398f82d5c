/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The exception vectors of MIPS: what is copied to 0x80000000 at boot, and where it leads. An interrupt saves what C
 * calls do not preserve, less at, t0-t3 and t8, which the kernel is compiled not to use (Makefile: -ffixed; tools/check/registers); any other
 * exception saves everything.
 */
#include <machine/register.h>

#define EXCEPTION_STACK_SIZE 8192

    .set noreorder
    .set noat
    .section .text.vectors, "ax"
    .globl vector_refill, vector_refill_end, vector_general, vector_general_end

vector_refill:
    j tlb_refill_entry          /* the vectors and the kernel lie in the same 256 MiB */
    nop
vector_refill_end:

vector_general:
    j general_exception
    mfc0 k0, $12                /* Status */
vector_general_end:

/*
 * XTLB refill: an address of the mapped area takes its pair of entries from the tables of arch/mips/tlb.c; any other gets
 * an invalid pair, so that the general vector sees it next. Comes here from the refill vector, and from the general one
 * when an exception's own first stores missed (EXL set): then eret goes back to what that exception interrupted, and
 * it comes again. k1 may have held an increment's sum: its load is what missed, and starts over.
 */
    .globl tlb_refill_entry
    .type tlb_refill_entry, @function
tlb_refill_entry:
    lui k1, %hi(tlb_refills_cell)
    ld k1, %lo(tlb_refills_cell)(k1)
    ld k0, 0(k1)                /* with EXL set nothing comes between these three */
    daddiu k0, k0, 1
    sd k0, 0(k1)
    dmfc0 k0, $8                /* BadVAddr */
    lui k1, 0xc000              /* the area begins at 0xc000000000000000 */
    dsll k1, k1, 32
    dsubu k0, k0, k1
    dsrl k1, k0, 30             /* and has 2^30 bytes */
    bnez k1, 1f
    dsrl k0, k0, 21             /* 2 MiB to a table */
    dsll k0, k0, 3
    lui k1, %hi(tlb_directory)
    daddu k1, k1, k0
    ld k1, %lo(tlb_directory)(k1)
    beqz k1, 1f
    dmfc0 k0, $8
    dsrl k0, k0, 13             /* two pages to an entry */
    andi k0, k0, 0xff
    dsll k0, k0, 4
    daddu k0, k0, k1
    ld k1, 8(k0)
    ld k0, 0(k0)
    dmtc0 k1, $3
    b 2f
    dmtc0 k0, $2
1:  dmtc0 zero, $2
    dmtc0 zero, $3
2:  tlbwr
    eret
    .size tlb_refill_entry, . - tlb_refill_entry

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
 * An interrupt of the kernel, as a rule the timer's, goes straight to its line. Of all others and of what must not be
 * torn apart interrupt_entry knows. One test finds both an exception (in Cause) and an interrupted user (in Status:
 * the kernel runs with UX, SX, KSU and ERL 0).
 *
 * The labels vector_status_* are where Status' mode bits change: those are told to a PMU that cannot see Status.
 */
    .globl general_exception, vector_status_table
    .type general_exception, @function
general_exception:
    mfc0 k1, $13                /* Cause */
    or k1, k1, k0
    andi k1, k1, CAUSE_CODE
    bnez k1, 1f
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
    .globl bench_timer_entry, bench_timer_return /* for tools/bench: where vector_general is copied to */
    .set bench_timer_entry, 0xffffffff80000180
bench_timer_return:
    eret
2:  daddiu sp, sp, -128
    jal interrupt_entry
    move a0, sp
    b 4b
    nop
    .globl vector_interrupt_end /* with general_exception: where calls have an interrupt's frame at sp */
vector_interrupt_end:

/*
 * Everything else: all registers, on a stack of its own, so that one that overran its guard page can be reported. A TLB
 * miss with EXL set leads here too: it is a refill, unless the TLB holds an (invalid) entry already.
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
    bnez k0, vector_user
    nop
    move k1, sp
    dla sp, exception_stack_end - FRAME_SIZE
    sd k1, FRAME_REG(29)(sp)
    sd AT, FRAME_REG(1)(sp)
    sd v0, FRAME_REG(2)(sp)
    sd v1, FRAME_REG(3)(sp)
    sd a0, FRAME_REG(4)(sp)
    sd a1, FRAME_REG(5)(sp)
    sd a2, FRAME_REG(6)(sp)
    sd a3, FRAME_REG(7)(sp)
    sd a4, FRAME_REG(8)(sp)
    sd a5, FRAME_REG(9)(sp)
    sd a6, FRAME_REG(10)(sp)
    sd a7, FRAME_REG(11)(sp)
    sd t0, FRAME_REG(12)(sp)
    sd t1, FRAME_REG(13)(sp)
    sd t2, FRAME_REG(14)(sp)
    sd t3, FRAME_REG(15)(sp)
    sd s0, FRAME_REG(16)(sp)
    sd s1, FRAME_REG(17)(sp)
    sd s2, FRAME_REG(18)(sp)
    sd s3, FRAME_REG(19)(sp)
    sd s4, FRAME_REG(20)(sp)
    sd s5, FRAME_REG(21)(sp)
    sd s6, FRAME_REG(22)(sp)
    sd s7, FRAME_REG(23)(sp)
    sd t8, FRAME_REG(24)(sp)
    sd t9, FRAME_REG(25)(sp)
    sd gp, FRAME_REG(28)(sp)
    sd fp, FRAME_REG(30)(sp)
    sd ra, FRAME_REG(31)(sp)
    mfhi t0
    mflo t1
    dmfc0 t2, $14
    mfc0 t3, $12
    mfc0 a1, $13
    dmfc0 a2, $8
    sd t0, FRAME_HI(sp)
    sd t1, FRAME_LO(sp)
    sd t2, FRAME_EPC(sp)
    sd t3, FRAME_STATUS(sp)
    sd a1, FRAME_CAUSE(sp)
    sd a2, FRAME_BADVADDR(sp)
    li t0, ~(STATUS_KSU | 7)
    and t0, t3, t0
vector_status_exception:
    mtc0 t0, $12
    jal exception_dispatch      /* does not return: it panics or jumps to where trap_try was */
    move a0, sp
2:  b 2b
    nop
    .size general_exception, . - general_exception

/*
 * What interrupts a user (arch/mips/user.c): the stack is the one that vector_user_enter was called on, and all
 * registers that the kernel may change are saved. Below that stack pointer: sp, at, t0-t3, t8, and the frame of an interrupt.
 * Anything but an interrupt ends the user's run.
 */
#define USER_SAVED 64
    .type vector_user, @function
vector_user:
    andi k0, k1, CAUSE_CODE
    bnez k0, vector_user_leave
    lui k0, %hi(vector_user_area)
    ld k0, %lo(vector_user_area) + USER_AREA_SP(k0)
    sd v0, -USER_SAVED - 128(k0)
    sd sp, -8(k0)
    sd AT, -16(k0)
    sd t0, -24(k0)
    sd t1, -32(k0)
    sd t2, -40(k0)
    sd t3, -48(k0)
    sd t8, -56(k0)
    daddiu sp, k0, -USER_SAVED
    mfc0 k0, $12
    save_interrupted
    andi v0, k0, STATUS_KERNEL
    and a0, k1, k0
vector_status_user_interrupt:
    mtc0 v0, $12
    jal interrupt_user_entry
    daddiu sp, sp, -128
    ld AT, 128 + USER_SAVED - 16(sp)
    ld t0, 128 + USER_SAVED - 24(sp)
    ld t1, 128 + USER_SAVED - 32(sp)
    ld t2, 128 + USER_SAVED - 40(sp)
    ld t3, 128 + USER_SAVED - 48(sp)
    ld t8, 128 + USER_SAVED - 56(sp)
    restore_interrupted
    ld sp, 128 + USER_SAVED - 8(sp)
vector_status_user_return:
    mtc0 k0, $12
    dmtc0 k1, $14
    eret
    .size vector_user, . - vector_user

/* Back to who called vector_user_enter; nothing here can miss the TLB. */
    .type vector_user_leave, @function
vector_user_leave:
    daddiu k0, k0, %lo(vector_user_area)
    sd v0, USER_AREA_RESULT(k0)
    dmfc0 v0, $14
    sd v0, USER_AREA_PC(k0)
    mfc0 v0, $13
    sd v0, USER_AREA_CAUSE(k0)
    ld s0, USER_AREA_REGISTERS(k0)
    ld s1, USER_AREA_REGISTERS + 8(k0)
    ld s2, USER_AREA_REGISTERS + 16(k0)
    ld s3, USER_AREA_REGISTERS + 24(k0)
    ld s4, USER_AREA_REGISTERS + 32(k0)
    ld s5, USER_AREA_REGISTERS + 40(k0)
    ld s6, USER_AREA_REGISTERS + 48(k0)
    ld s7, USER_AREA_REGISTERS + 56(k0)
    ld fp, USER_AREA_REGISTERS + 64(k0)
    ld ra, USER_AREA_REGISTERS + 72(k0)
    ld gp, USER_AREA_REGISTERS + 80(k0)
    ld v0, USER_AREA_STATUS(k0)
    ld sp, USER_AREA_SP(k0)
vector_status_user_leave:
    mtc0 v0, $12
    jr ra
    nop
    .size vector_user_leave, . - vector_user_leave

/* vector_user_enter(pc, sp, argument, status): goes to user mode; returns when it has been left. */
    .globl vector_user_enter
    .type vector_user_enter, @function
vector_user_enter:
    lui v1, %hi(vector_user_area)
    daddiu v1, v1, %lo(vector_user_area)
    sd s0, USER_AREA_REGISTERS(v1)
    sd s1, USER_AREA_REGISTERS + 8(v1)
    sd s2, USER_AREA_REGISTERS + 16(v1)
    sd s3, USER_AREA_REGISTERS + 24(v1)
    sd s4, USER_AREA_REGISTERS + 32(v1)
    sd s5, USER_AREA_REGISTERS + 40(v1)
    sd s6, USER_AREA_REGISTERS + 48(v1)
    sd s7, USER_AREA_REGISTERS + 56(v1)
    sd fp, USER_AREA_REGISTERS + 64(v1)
    sd ra, USER_AREA_REGISTERS + 72(v1)
    sd gp, USER_AREA_REGISTERS + 80(v1)
    mfc0 v0, $12
    sd v0, USER_AREA_STATUS(v1)
    sd sp, USER_AREA_SP(v1)
vector_status_user_enter:
    mtc0 a3, $12                /* EXL set: nothing comes between here and eret */
    dmtc0 a0, $14
    move sp, a1
    move a0, a2
    eret
    .size vector_user_enter, . - vector_user_enter

    .section .rodata, "a"
    .balign 8
/* Where Status is written so that its mode bits change, and bits 4-1 afterwards (struct vector_status, vector.h). */
vector_status_table:
    .dword vector_status_interrupt, 0
    .dword vector_status_return, STATUS_EXL
    .dword vector_status_exception, 0
    .dword vector_status_user_interrupt, 0
    .dword vector_status_user_return, STATUS_EXL
    .dword vector_status_user_leave, 0
    .dword vector_status_user_enter, STATUS_EXL
    .dword 0, 0

    .bss
    .balign 16
    .skip EXCEPTION_STACK_SIZE
exception_stack_end:

    .section .note.GNU-stack, "", @progbits
