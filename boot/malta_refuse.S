/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first instructions on Malta: is this a CPU that can run the kernel, that is, one with 64 bits and the
 * instructions of MIPS IV? Those here are in every MIPS, from MIPS I to release 6. Returns to $31, or says on com0 what
 * is missing and switches the board off. Changes $2, $3 and $8.
 *
 * Config (MIPS Architecture For Programmers III, 9.45: M, AT, AR) tells it of CPUs since MIPS32 and MIPS64; older ones
 * have no M, and are told by their number (PRId; See MIPS Run, 3.3.1).
 */
    .globl malta_refuse, malta_refuse_wrong_cpu

#define COM0        0xb800      /* KSEG1 of the ports, upper half */
#define LSR         0x3fd
#define THR         0x3f8
#define THR_EMPTY   0x20
#define BRIDGE      0xbbe0      /* KSEG1 of the GT-64120, upper half: little-endian registers */
#define ADDRESS     0xcf8
#define DATA        0xcfc
#define PM(reg)     (0x80005300 + (reg)) /* configuration address of the PIIX4's function 3, device 10 */
#define PM_PORT     0x600
#define PMBA        0x40
#define PMREGMISC   0x80
#define COMMAND     0x04
#define PMCNTRL     4
#define SOFT_OFF    0x2000
#define SWAP16(v)   ((((v) & 0xff) << 8) | (((v) >> 8) & 0xff))
#define SWAP32(v)   ((SWAP16((v) & 0xffff) << 16) | SWAP16(((v) >> 16) & 0xffff))
#define AT_FIELD    0x6000      /* 0: MIPS32 */
#define AR_RELEASE6 0x800       /* AR of 2 and more: release 6 */

    .section .boot.text, "ax"
    .set noreorder
    .set noat
    .set mips1
malta_refuse:
    mfc0 $2, $16                /* Config */
    nop
    bltz $2, config             /* M: there is a Config1 */
    nop
    mfc0 $2, $15                /* PRId */
    nop
    andi $2, $2, 0xff00
    addiu $3, $0, 0x0400        /* R4000, R4400 */
    beq $2, $3, old
    addiu $3, $0, 0x0a00        /* R4200 */
    beq $2, $3, old
    addiu $3, $0, 0x0b00        /* R4300 */
    beq $2, $3, old
    addiu $3, $0, 0x0c00        /* VR41xx */
    beq $2, $3, old
    addiu $3, $0, 0x2000        /* R4600 */
    beq $2, $3, old
    addiu $3, $0, 0x2100        /* R4700 */
    beq $2, $3, old
    nop
good:
    jr $31
    nop

config:
    andi $3, $2, AT_FIELD
    beq $3, $0, narrow
    andi $3, $2, AR_RELEASE6
    beq $3, $0, good
    lui $8, %hi(release6)
    b say
    addiu $8, $8, %lo(release6)
malta_refuse_wrong_cpu:         /* does not return */
    lui $8, %hi(wrong_cpu)
    b say
    addiu $8, $8, %lo(wrong_cpu)
narrow:
    lui $8, %hi(no_64_bits)
    b say
    addiu $8, $8, %lo(no_64_bits)
old:
    lui $8, %hi(no_mips4)
    addiu $8, $8, %lo(no_mips4)

say:                            /* the string at $8 */
    lui $3, COM0
wait:
    lbu $2, LSR($3)
    nop
    andi $2, $2, THR_EMPTY
    beq $2, $0, wait
    lbu $2, 0($8)
    nop
    beq $2, $0, off
    addiu $8, $8, 1
    b wait
    sb $2, THR($3)

/* What piix4_pm_poweroff() does, where the chips are as on QEMU's board. */
    .macro configure reg, value
    lui $2, (SWAP32(PM(\reg)) >> 16) & 0xffff
    ori $2, $2, SWAP32(PM(\reg)) & 0xffff
    sw $2, ADDRESS($3)
    addiu $2, $0, \value
    sw $2, DATA($3)
    .endm
off:
    lui $3, BRIDGE
    configure PMBA, PM_PORT | 1
    configure COMMAND, 1
    configure PMREGMISC, 1
    lui $3, COM0
    addiu $2, $0, SWAP16(SOFT_OFF)
    sh $2, PM_PORT + PMCNTRL($3)
stop:
    b stop
    nop

    .section .rodata
no_64_bits:
    .asciz "panic: boot: this CPU has no 64-bit mode\r\n"
wrong_cpu:
    .asciz "\r\npanic: boot: the CPUs have no numbers, and one without interrupts came first: start one only\r\n"
release6:
    .asciz "panic: boot: this CPU is of release 6, which lacks instructions of MIPS IV\r\n"
no_mips4:
    .asciz "panic: boot: this CPU lacks the instructions of MIPS IV\r\n"

    .section .note.GNU-stack, "", @progbits
