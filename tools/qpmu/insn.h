/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What decoding one instruction says, on either machine, as far as counting needs it. Decoders keep
 * no state: the same bytes give the same answer.
 */
#ifndef QPMU_INSN_H
#define QPMU_INSN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/qpmu/events.h"

/* Classes. */
#define QPMU_INSN_LOAD        (1u << 0) /* reads memory */
#define QPMU_INSN_STORE       (1u << 1) /* writes memory; both: a read-modify-write of x86 */
#define QPMU_INSN_ACCESS      (QPMU_INSN_LOAD | QPMU_INSN_STORE)
#define QPMU_INSN_LL          (1u << 2) /* with LOAD */
#define QPMU_INSN_SC          (1u << 3) /* with STORE; a failed one may make no access */
#define QPMU_INSN_PREFETCH    (1u << 4) /* prefetch or sync: counts as a load, accesses nothing */
#define QPMU_INSN_FP          (1u << 5) /* floating-point arithmetic */
#define QPMU_INSN_COND_BRANCH (1u << 6) /* beq, bc1t, jcc, loop, jrcxz, ... */
#define QPMU_INSN_JUMP        (1u << 7) /* any other transfer: j, jr, call, ret, iret, syscall, ... */
#define QPMU_INSN_DELAY_SLOT  (1u << 8)  /* MIPS: the next instruction is its delay slot */
#define QPMU_INSN_LIKELY      (1u << 9)  /* its delay slot is skipped when it is not taken */
#define QPMU_INSN_TARGET      (1u << 10) /* `target` is valid: where it goes when taken */
#define QPMU_INSN_ISSUED      (1u << 11) /* goes to ALU, FPU or load/store unit */
#define QPMU_INSN_UNIT        (1u << 12) /* of these, ALU or FPU */
#define QPMU_INSN_MAY_FAULT                                                                        \
    (1u << 13) /* in the kernel too: memory, overflow, trap, division, FPU, unknown */
/* Does not graduate when it executes as it is meant: syscall, break (MIPS), ud2, reserved. */
#define QPMU_INSN_NEVER_GRADUATES (1u << 14)
#define QPMU_INSN_REP             (1u << 15) /* repeated x86 string instruction: graduates once */
#define QPMU_INSN_ERET            (1u << 16) /* MIPS eret */
#define QPMU_INSN_MTC0_STATUS                                                                      \
    (1u << 17)                         /* MIPS mtc0/dmtc0 $12,0; di and ei do not touch the mode */
#define QPMU_INSN_MFC0_PERF (1u << 18) /* MIPS mfc0/dmfc0 $25,`select` */
#define QPMU_INSN_MTC0_PERF (1u << 19)
#define QPMU_INSN_WRMSR     (1u << 20)
#define QPMU_INSN_RDMSR     (1u << 21)
#define QPMU_INSN_RDPMC     (1u << 22)
#define QPMU_INSN_HYPERCALL (1u << 23) /* the magic no-op of qpmu.h */
#define QPMU_INSN_HALT      (1u << 24) /* wait, hlt, mwait */
/* Faults in user mode, not in the kernel. MAY_FAULT says nothing of that. */
#define QPMU_INSN_PRIVILEGED (1u << 25)
#define QPMU_INSN_UNKNOWN    (1u << 26) /* not in the decoder's tables; may do anything */
/* A conditional branch whose registers say that it is never taken. It counts as a branch and is
 * nothing else here, nor to QEMU: no COND_BRANCH, no delay slot, no prediction. */
#define QPMU_INSN_NEVER_TAKEN (1u << 27)
#define QPMU_INSN_CPUID       (1u << 28)
/* It leaves a return address, on x86 in memory and on MIPS in $31; not one that goes on behind
 * itself, to learn where it is, nor a conditional one. */
#define QPMU_INSN_CALL   (1u << 29)
#define QPMU_INSN_RETURN (1u << 30) /* ret; jr $31 */
/* MIPS: it stores $31 or, if it is no STORE, changes it: a LOAD from memory, another in a way that
 * is not known here. x86: it sets the stack pointer from something else than itself or rbp. */
#define QPMU_INSN_LINK (1u << 31)

struct qpmu_insn {
    uint32_t flags;
    uint8_t length; /* bytes, as given */
    uint8_t cycles; /* of the cost model, >= 1 */
    uint8_t select; /* of MFC0_PERF, MTC0_PERF */
    uint8_t loads;  /* instructions that count as load (0 or 1; x86: accesses that read) */
    uint8_t stores;
    uint8_t skips; /* bytes behind it that never execute: the slot of a likely NEVER_TAKEN */
    uint64_t target;
};

/* WORD in host byte order, at virtual address PC (64-bit). */
void qpmu_decode_mips(uint32_t word, uint64_t pc, struct qpmu_insn *insn);

/*
 * What x86 code is, by the code segment's L and D. It changes
 * - the one-byte opcodes: 40-4f are prefixes in 64-bit code only, else inc and dec; pushes and pops
 *   of es, cs, ss, ds, pusha, popa, bound, arpl, far call and jmp by pointer, les, lds, into, daa
 *   and the like do not exist there (c4, c5, 62 are VEX and EVEX in the other two if the byte
 *   behind them says 11 in its top bits);
 * - the size of operands, which prefix 66 switches: near branches have 2 bytes of distance where it
 *   is 16 bits, and go to the lowest 64 KiB in 32-bit code; in 64-bit code makers differ, and there
 *   is no TARGET. iret pops three words, in 64-bit code five;
 * - `target`, which has 32 bits but in 64-bit code. The decoder does not know the segment's base.
 *   It takes 0 for 32-bit code; in 16-bit code a branch that wraps around its segment has a target
 *   that is off by 64 KiB.
 * UNKNOWN is 64-bit code, but for what transfers control and aam: a length that it cannot have
 * in 64-bit code, where QEMU's cut ends, says that it is other code.
 */
enum qpmu_code { QPMU_CODE_64, QPMU_CODE_32, QPMU_CODE_16, QPMU_CODE_UNKNOWN };

/* LENGTH bytes (1 to 15) of one instruction at PC (linear), as QEMU cut it. Reads no byte beyond.
 */
void qpmu_decode_x86(const uint8_t *bytes, size_t length, enum qpmu_code mode, uint64_t pc,
                     struct qpmu_insn *insn);

/*
 * How much the graduation of INSN adds to EVENT; 0 for what is not known statically (SC_FAILED,
 * caches, mispredictions). FAULTED: what its fault adds: the issued events only, and its cycles.
 */
unsigned qpmu_insn_adds(const struct qpmu_insn *insn, enum qpmu_event event);
unsigned qpmu_insn_adds_faulted(const struct qpmu_insn *insn, enum qpmu_event event);
#endif
