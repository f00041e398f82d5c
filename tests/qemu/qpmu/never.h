/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MIPS branches whose registers already say which way they go. QEMU translates them in its own
 * ways: as a no-op, as a jump, or, where a delay slot never executes, without the slot. Each kind
 * stands as the last instruction of its page, as the last but one, and as the last but two, in a
 * loop of ten turns.
 */
#ifndef QPMU_NEVER_H
#define QPMU_NEVER_H

/* A function, called by $15: li, ten turns of (daddiu, the branch, its slot if that executes, bgtz,
 * nop), jr, nop. The branch goes to 2. BEHIND: what it jumps over with its slot. */
#define NEVER_PIECE(name, end, branch, slot, behind)                                               \
    ".section .text.never,\"ax\"\n .set push\n .set noreorder\n .set noat\n"                       \
    " .balign 4096\n .skip 4096 - 8 - " #end "\n"                                                  \
    "never_" #name "_" #end ": li $8, 10\n1: daddiu $8, $8, -1\n " branch "\n " slot "\n" behind   \
    "2: bgtz $8, 1b\n nop\n jr $15\n nop\n .set pop\n .previous\n"
#define NEVER_PIECES(name, branch, slot, behind)                                                   \
    __asm__(NEVER_PIECE(name, 4, branch, slot, behind) NEVER_PIECE(name, 8, branch, slot, behind)  \
                NEVER_PIECE(name, 12, branch, slot, behind))

NEVER_PIECES(bne, "bne $9, $9, 2f", "nop", "");
NEVER_PIECES(bltz, "bltz $0, 2f", "nop", "");
NEVER_PIECES(bgtz, "bgtz $0, 2f", "nop", "");
NEVER_PIECES(bltzal, "bltzal $0, 2f", "nop", ""); /* to QEMU a jump behind its slot */
NEVER_PIECES(bnel, "bnel $9, $9, 2f", "nop", "");
NEVER_PIECES(bltzl, "bltzl $0, 2f", "nop", "");
NEVER_PIECES(bgtzl, "bgtzl $0, 2f", "nop", "");
NEVER_PIECES(bltzall, "bltzall $0, 2f", "nop", "");
/* What follows raises an exception. */
NEVER_PIECES(bne_trap, "bne $9, $9, 2f", "teq $0, $0", "");
NEVER_PIECES(bltz_trap, "bltz $0, 2f", "teq $0, $0", "");
NEVER_PIECES(bgtz_trap, "bgtz $0, 2f", "teq $0, $0", "");
/* Taken. */
NEVER_PIECES(b, "b 2f", "nop", "nop\n");
NEVER_PIECES(blez, "blez $0, 2f", "nop", "nop\n");
NEVER_PIECES(bal, "bgezal $0, 2f", "nop", "nop\n");
NEVER_PIECES(beql, "beql $9, $9, 2f", "nop", "nop\n");
NEVER_PIECES(bgezl, "bgezl $0, 2f", "nop", "nop\n");
NEVER_PIECES(bgezall, "bgezall $0, 2f", "nop", "nop\n");
NEVER_PIECES(beql_behind, "beql $9, $9, 2f", "nop", "");

/* Four instructions: dla is two. */
#define NEVER_CALL(name, end) "dla $14, never_" #name "_" #end "\n jalr $15, $14\n nop\n"
#define NEVER_CALLS(name)     NEVER_CALL(name, 4) NEVER_CALL(name, 8) NEVER_CALL(name, 12)

/* clang-format off */
#define NEVER_KINDS(X)                                                                             \
    X(bne) X(bltz) X(bgtz) X(bltzal) X(bnel) X(bltzl) X(bgtzl) X(bltzall)                          \
    X(bne_trap) X(bltz_trap) X(bgtz_trap)                                                          \
    X(b) X(blez) X(bal) X(beql) X(bgezl) X(bgezall) X(beql_behind)
/* clang-format on */
#endif
