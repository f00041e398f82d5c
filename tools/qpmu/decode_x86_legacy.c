/* SPDX-License-Identifier: BSD-2-Clause */
/* Classes of the one-byte opcodes that 64-bit mode has no more, or has other instructions for. */
#include "tools/qpmu/decode_x86.h"

#include "tools/qpmu/insn.h"
#include "tools/qpmu/x86_code.h"

#define PUSHA 8 /* registers */
#define POPA  7 /* it leaves the stack pointer out */

static char access_memory(struct qpmu_insn *insn, unsigned loads, unsigned stores)
{
    insn->loads = (uint8_t)(insn->loads + loads);
    insn->stores = (uint8_t)(insn->stores + stores);
    insn->flags |= (loads ? QPMU_INSN_LOAD : 0) | (stores ? QPMU_INSN_STORE : 0);
    insn->flags |= QPMU_INSN_MAY_FAULT;
    return '.';
}

char x86_decode_legacy(const struct x86_code *code, struct qpmu_insn *insn)
{
    switch (code->opcode) {
    case 0x06:
    case 0x0e:
    case 0x16:
    case 0x1e: /* push of a segment register */
        return 'u';
    case 0x07:
    case 0x17:
    case 0x1f:
        return 'o';
    case 0x27:
    case 0x2f:
    case 0x37:
    case 0x3f: /* daa das aaa aas */
    case 0xd5: /* aad */
    case 0xd6: /* salc */
        return '.';
    case 0xd4: /* aam divides */
        insn->cycles = X86_CYCLES_DIV;
        insn->flags |= QPMU_INSN_MAY_FAULT;
        return '.';
    case 0x60:
        return access_memory(insn, 0, PUSHA);
    case 0x61:
        return access_memory(insn, POPA, 0);
    case 0x62: /* bound; the form without memory is EVEX */
        return code->modrm < 0xc0 ? access_memory(insn, 2, 0) : '?';
    case 0x63: /* arpl */
        return 'm';
    case 0x82: /* as 80 */
        return (code->modrm >> 3 & 7) == 7 ? 'r' : 'm';
    case 0xc4: /* les */
    case 0xc5: /* lds */
        return access_memory(insn, 2, 0);
    case 0x9a: /* call far */
        insn->flags |= QPMU_INSN_JUMP;
        return access_memory(insn, 0, 2);
    case 0xea: /* jmp far */
        insn->flags |= QPMU_INSN_JUMP | QPMU_INSN_MAY_FAULT;
        return '.';
    case 0xce: /* into: mostly it does nothing */
        insn->flags |= QPMU_INSN_MAY_FAULT;
        return '.';
    default:
        return (code->opcode & 0xf0) == 0x40 ? '.' : '\0'; /* inc dec */
    }
}
