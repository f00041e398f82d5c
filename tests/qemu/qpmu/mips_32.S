/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A 32-bit Malta of either byte order that knows nothing of qpmu: it counts its own instructions
 * with counter 0 of a 24K, and is interrupted by it at PIN. It prints, each in 8 hexadecimal digits:
 *
 *   Config1; IntCtl; what SMALL and LARGE turns of a loop of three instructions count; then for three values
 *   that the counter begins with: turns that were left when the interrupt came, where in the loop
 *   it came, in bytes, Cause then and when the counter is off, and what the counter holds.
 */
#define UART    0xb80003f8
#define VECTOR  0x80000180
#define SMALL   1000
#define LARGE   501000
#define KERNEL  0x22 /* instructions (1) of kernel mode */
#define ENABLED 0x32 /* and an interrupt */
#define STOPPED 0x08000000 /* Cause: DC, the timer stands still */
#define OPEN    (0x100 << PIN | 1) /* Status: the pin, IE */

        .set noreorder
        .set noat
        .section .text
        .globl __start
__start:
        mtc0    $0, $12         /* no ERL, no BEV: vectors are in RAM */
        lui     $8, STOPPED >> 16
        mtc0    $8, $13
        ehb
        mfc0    $4, $16, 1
        jal     print
        nop
        mfc0    $4, $12, 1
        jal     print
        nop
        li      $16, SMALL
        jal     count
        nop
        li      $16, LARGE
        jal     count
        nop
        la      $8, handler     /* its 4 instructions lead to it */
        lui     $9, %hi(VECTOR)
        lui     $10, 0x3c1a     /* lui $26, */
        srl     $11, $8, 16
        or      $10, $10, $11
        sw      $10, %lo(VECTOR)($9)
        lui     $10, 0x375a     /* ori $26, $26, */
        andi    $11, $8, 0xffff
        or      $10, $10, $11
        sw      $10, %lo(VECTOR) + 4($9)
        lui     $10, 0x0340     /* jr $26 */
        ori     $10, $10, 8
        sw      $10, %lo(VECTOR) + 8($9)
        sw      $0, %lo(VECTOR) + 12($9)
        synci   %lo(VECTOR)($9)
        sync
        li      $17, 0x80000000 - 5000
        jal     interrupt
        nop
        li      $17, 0x80000000 - 5301
        jal     interrupt
        nop
        li      $17, 0x80000000 - 5302
        jal     interrupt
        nop
        lui     $8, 0xbf00      /* the board's reset: the machine ends */
        li      $9, 0x42
        sw      $9, 0x500($8)
1:      b       1b
        nop

/* Turns in $16. */
count:  move    $18, $31
        mtc0    $0, $25, 1
        li      $8, KERNEL
        mtc0    $8, $25, 0
        ehb
1:      addiu   $16, $16, -1
        bnez    $16, 1b
        nop
        mtc0    $0, $25, 0
        ehb
        mfc0    $4, $25, 1
        jal     print
        nop
        jr      $18
        nop

/* The counter's first value in $17. */
interrupt:
        move    $18, $31
        mtc0    $0, $25, 0
        mtc0    $17, $25, 1
        li      $16, 100000
        li      $8, OPEN
        mtc0    $8, $12
        ehb
        li      $8, ENABLED
        mtc0    $8, $25, 0
        ehb
loop:   addiu   $16, $16, -1
        bnez    $16, loop
        nop
        jr      $18             /* it never came */
        nop

handler:
        mfc0    $19, $13
        mtc0    $0, $25, 0      /* no enable, no interrupt */
        mtc0    $0, $12
        ehb
        move    $4, $16
        jal     print
        nop
        mfc0    $4, $14
        la      $8, loop
        subu    $4, $4, $8
        jal     print
        nop
        move    $4, $19
        jal     print
        nop
        mfc0    $4, $13
        jal     print
        nop
        mfc0    $4, $25, 1
        jal     print
        nop
        jr      $18
        nop

/* $4, and a newline. */
print:  lui     $8, %hi(UART)
        li      $9, 28
1:      srlv    $10, $4, $9
        andi    $10, $10, 15
        sltiu   $11, $10, 10
        bnez    $11, 2f
        addiu   $10, $10, '0'
        addiu   $10, $10, 'a' - '0' - 10
2:      sb      $10, %lo(UART)($8)
        bnez    $9, 1b
        addiu   $9, $9, -4
        li      $10, 10
        jr      $31
        sb      $10, %lo(UART)($8)
