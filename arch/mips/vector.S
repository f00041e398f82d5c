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
    mfc0 k0, $13
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
 * the stack's pages are in the TLB, and nothing that the interrupted code needs has been changed before.
 */
    .globl general_exception
    .type general_exception, @function
general_exception:
    andi k1, k0, CAUSE_CODE     /* of Cause */
    bnez k1, 1f
    mfc0 k1, $12                /* Status */
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
    sd k1, -24(sp)
    sd v1, -16(sp)
    xori v0, k1, 3              /* EXL and IE, both set, off */
    and a2, k1, k0              /* pending and not masked: good until EXL goes */
    mtc0 v0, $12
    daddiu sp, sp, -128
    jal interrupt_entry
    move a0, sp
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
    ld k1, 96(sp)               /* the last loads from the stack, in one line of it: k0 and k1 stay */
    ld k0, 104(sp)
    mtc0 k0, $12                /* as it was at entry, EXL set: nothing comes between here and eret */
    dmtc0 k1, $14
    daddiu sp, sp, 128
    .globl bench_timer_entry, bench_timer_return /* for tools/bench: where vector_general is copied to */
    .set bench_timer_entry, 0xffffffff80000180
bench_timer_return:
    eret

/*
 * Everything else: all registers, on a stack of its own, so that one that overran its guard page can be reported. A TLB
 * miss with EXL set leads here too: it is a refill, unless the TLB holds an (invalid) entry already.
 */
1:  andi k0, k0, CAUSE_CODE
    daddiu k0, k0, -8           /* TLB load 2 << 2, TLB store 3 << 2 */
    sltiu k0, k0, 5
    beqz k0, 3f
    nop
    tlbp
    mfc0 k0, $0
    bltz k0, tlb_refill_entry
    nop
3:  move k1, sp
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
    li t0, ~3
    and t0, t3, t0
    mtc0 t0, $12
    jal exception_dispatch      /* does not return: it panics or jumps to where trap_try was */
    move a0, sp
2:  b 2b
    nop
    .size general_exception, . - general_exception

    .bss
    .balign 16
    .skip EXCEPTION_STACK_SIZE
exception_stack_end:

    .section .note.GNU-stack, "", @progbits
