/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From YAMON (or QEMU and GXemul in its place) to C on the Malta board: a0 = number of arguments, a1 = their 32-bit
 * pointers, a2 = the environment (name, value pairs of 32-bit pointers), a3 = memory size.
 */
#include <machine/register.h>
#define STACK_SIZE 16384
#define CONFIG_AR  0x1c00
#define EBASE_CPU  0x3ff

    .globl start, boot_stack, boot_stack_end

    .section .boot.text, "ax"
    .set noreorder
start:
    mfc0 k0, $12                /* and no other register before it is known that this is a start: an NMI's are reported */
    nop
    sll k0, k0, 31 - STATUS_NMI_BIT
    bltz k0, vector_nmi         /* the reset vector's code was entered by an NMI */
    nop
    bal malta_refuse            /* only returns on a CPU that can run what follows */
    nop
    mfc0 k0, $16                /* Config: M and AR tell release 2, which has EBase (MIPS Architecture For Programmers III) */
    nop
    bgez k0, .Lnumberless
    andi k0, k0, CONFIG_AR
    beqz k0, .Lnumberless
    nop
    .set push
    .set mips64r2
    mfc0 k0, $15, 1             /* EBase: the number of this CPU */
    nop
    andi k0, k0, EBASE_CPU
    beqz k0, .Lfirst
    nop
.Lothers:                       /* QEMU starts all here, and there is one for us */
    wait
    b .Lothers
    nop
    .set pop
.Lnumberless:                   /* whoever comes first goes on */
    dla k1, arrived
1:  ll k0, 0(k1)
    li t0, 1
    sc t0, 0(k1)
    beqz t0, 1b
    nop
    beqz k0, .Lfirst
    nop
2:  mfc0 k0, $13                /* one of them has the interrupts; if it is not the first, that one waits for them in vain */
    nop
    andi k0, k0, CAUSE_IP2      /* the i8259s */
    beqz k0, 2b
    nop
    b malta_refuse_wrong_cpu
    nop
.Lfirst:
    mtc0 zero, $12              /* a known Status: interrupts off, exceptions to RAM, 64-bit addresses */
    li t0, STATUS_BOOT
    mtc0 t0, $12
    mtc0 zero, $13
    dla sp, boot_stack_end - 32
    move ra, zero
    dla t9, malta_start
    jr t9
    move fp, zero

    .data
    .balign 4
arrived:
    .word 0                     /* whether a CPU without a number has come */

    .bss
    .balign 16
boot_stack:
    .skip STACK_SIZE
boot_stack_end:

    .section .note.GNU-stack, "", @progbits
