/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TLB refill. An address of the kernel's mapped area takes its pair of entries from two levels of tables, a user's from
 * the three of what is active (arch/mips/tlb.c); any other gets an invalid pair, so that the general vector sees it next.
 * Comes here from the refill vectors, and from the general one when an exception's own first stores missed (EXL set):
 * then eret goes back to what that exception interrupted, and it comes again. k1 may have held an increment's sum: its
 * load is what missed, and starts over. With EXL set nothing comes between the instructions that count.
 */
#include <machine/register.h>
#include "arch/mips/tlb.h"

    .set noreorder
    .set noat
    .section .text.vectors, "ax"
    .globl tlb_refill_entry
    .type tlb_refill_entry, @function
tlb_refill_entry:
    lui k1, %hi(tlb_refills + TLB_COUNT)
    ld k0, %lo(tlb_refills + TLB_COUNT)(k1)
    daddiu k0, k0, 1
    sd k0, %lo(tlb_refills + TLB_COUNT)(k1)
    dmfc0 k0, $8                /* BadVAddr */
    bgez k0, 4f
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
1:  li k0, 1                    /* global, as all of the kernel's: whatever ASID there is when it goes */
    dmtc0 k0, $2
    dmtc0 k0, $3
2:  tlbwr
    eret
4:  /* a user's */
    lui k1, %hi(tlb_user_refills + TLB_COUNT)
    ld k0, %lo(tlb_user_refills + TLB_COUNT)(k1)
    daddiu k0, k0, 1
    sd k0, %lo(tlb_user_refills + TLB_COUNT)(k1)
    dmfc0 k0, $8
    lui k1, %hi(tlb_user_top)
    dsrl k0, k0, TLB_USER_SHIFT
    bnez k0, 3f
    ld k1, %lo(tlb_user_top)(k1)
    beqz k1, 3f
    dmfc0 k0, $8
    dsrl k0, k0, 30 - 3         /* 1 GiB to a word */
    andi k0, k0, 0xff8
    daddu k1, k1, k0
    ld k1, 0(k1)
    beqz k1, 3f
    dmfc0 k0, $8
    dsrl k0, k0, 21 - 3
    andi k0, k0, 0xff8
    daddu k1, k1, k0
    ld k1, 0(k1)
    beqz k1, 3f
    dmfc0 k0, $8
    dsrl k0, k0, 13 - 4
    andi k0, k0, 0xff0
    daddu k0, k0, k1
    ld k1, 8(k0)
    ld k0, 0(k0)
    dmtc0 k1, $3
    dmtc0 k0, $2
    tlbwr
    eret
3:  dmtc0 zero, $2
    dmtc0 zero, $3
    tlbwr
    eret
    .size tlb_refill_entry, . - tlb_refill_entry

    .section .note.GNU-stack, "", @progbits
