/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a program goes on behind an instruction that the kernel has done for it. In the delay slot
 * of a branch that is where the branch leads, which has been executed (a link register is written),
 * but has to be read again (MIPS R4000 User's Manual, appendix A). Of a likely branch the slot is
 * executed only where it is taken.
 */
#include <arch/copy.h>
#include <arch/frame.h>
#include <arch/user.h>
#include "arch/mips/trap.h"
#include "kernel/thread/user.h"

#define OPCODE(word) ((word) >> 26)
#define RS(word)     ((word) >> 21 & 31)
#define RT(word)     ((word) >> 16 & 31)

enum { SPECIAL, REGIMM, J, JAL, BEQ, BNE, BLEZ, BGTZ, COP1 = 17, BEQL = 20, BNEL, BLEZL, BGTZL };
#define FUNCTION_JR   8u
#define FUNCTION_JALR 9u
#define COP1_BC       8u /* rs */

/* Whether the conditional branch WORD, which is none of CP1, is taken. */
static bool branch_is_taken(const struct trap_frame *frame, uint32_t word)
{
    int64_t rs = RS(word) ? (int64_t)frame->reg[RS(word)] : 0;
    int64_t rt = RT(word) ? (int64_t)frame->reg[RT(word)] : 0;

    switch (OPCODE(word)) {
    case REGIMM: /* bltz, bgez and their kin: bit 0 of rt says which */
        return RT(word) & 1 ? rs >= 0 : rs < 0;
    case BEQ:
        return rs == rt;
    case BNE:
        return rs != rt;
    case BLEZ:
        return rs <= 0;
    case BGTZ:
        return rs > 0;
    default:
        return true; /* the likely ones, or the slot would not have been executed */
    }
}

/* CP1's condition code N. */
static bool branch_condition(unsigned n)
{
    uint64_t fcsr = thread_user_state()->registers[USER_STATE_FCSR];

    return (fcsr >> (n == 0 ? 23 : 24 + n) & 1) != 0;
}

uint64_t branch_next(const struct trap_frame *frame)
{
    uint64_t pc = frame->epc, link;
    uint32_t word;
    bool taken;

    if (!(frame->cause & CAUSE_BD))
        return pc + 4;
    if (copyin((const void *)pc, &word, sizeof word) != 0)
        return 0;
    if (OPCODE(word) == J || OPCODE(word) == JAL)
        return ((pc + 4) & ~(uint64_t)0xfffffff) | (word & 0x3ffffffu) << 2;
    if (OPCODE(word) == SPECIAL) /* jr, jalr: where rd is not rs, that is as it was */
        return frame->reg[RS(word)];
    if (OPCODE(word) == COP1)
        taken = branch_condition(word >> 18 & 7) == (word >> 16 & 1);
    else
        taken = branch_is_taken(frame, word);
    link = pc + 8;
    return taken ? pc + 4 + (uint64_t)((int64_t)(int16_t)word * 4) : link;
}
