/* SPDX-License-Identifier: BSD-2-Clause */
/* Register names of the n64 ABI for assembly, and coprocessor 0 bits (MIPS R10000 User's Manual,
 * chapter 14). */
#pragma once

#ifdef __ASSEMBLER__
#define zero $0
#define AT   $1
#define v0   $2
#define v1   $3
#define a0   $4
#define a1   $5
#define a2   $6
#define a3   $7
#define a4   $8
#define a5   $9
#define a6   $10
#define a7   $11
#define t0   $12
#define t1   $13
#define t2   $14
#define t3   $15
#define s0   $16
#define s1   $17
#define s2   $18
#define s3   $19
#define s4   $20
#define s5   $21
#define s6   $22
#define s7   $23
#define t8   $24
#define t9   $25
#define k0   $26
#define k1   $27
#define gp   $28
#define sp   $29
#define fp   $30
#define ra   $31
#endif

#define STATUS_IE      0x00000001
#define STATUS_EXL     0x00000002
#define STATUS_KSU     0x00000018 /* 0 kernel, 1 supervisor, 2 user */
#define STATUS_UX      0x00000020
#define STATUS_SX      0x00000040
#define STATUS_KX      0x00000080 /* 64-bit kernel addresses */
#define STATUS_IM      0x0000ff00
#define STATUS_NMI_BIT 19         /* the CPU was entered by a non-maskable interrupt */
#define STATUS_FR      0x04000000 /* 32 registers of 64 bits in CP1 */
#define STATUS_CU1     0x20000000 /* CP1 usable */
#define STATUS_BOOT    (STATUS_KX | STATUS_SX | STATUS_UX)
#define STATUS_KERNEL                                                                              \
    0xffe0 /* what is left of Status by kernel code without interrupts: KX, SX, UX and IM;         \
              bits 31-16 are 0 in this kernel */

#define CAUSE_IP0  0x00000100
#define CAUSE_IP1  0x00000200
#define CAUSE_IP2  0x00000400
#define CAUSE_IP4  0x00001000
#define CAUSE_IP7  0x00008000
#define CAUSE_IV   0x00800000 /* interrupts have a vector of their own */
#define CAUSE_CODE 0x0000007c
#define CAUSE_CALL 0x00000020 /* the code of a system call */
#define CAUSE_BD   0x80000000
#define CAUSE_CE   0x30000000 /* which coprocessor was unusable */
#define CAUSE_CE1  0x10000000

/* struct trap_frame of <machine/frame.h> */
#define FRAME_REG(n)   ((n) * 8)
#define FRAME_HI       256
#define FRAME_LO       264
#define FRAME_EPC      272
#define FRAME_STATUS   280
#define FRAME_CAUSE    288
#define FRAME_BADVADDR 296
#define FRAME_SIZE     304
