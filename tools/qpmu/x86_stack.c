/* SPDX-License-Identifier: BSD-2-Clause */
/* What sets x86's stack pointer. */
#include "tools/qpmu/decode_x86.h"
#include "tools/qpmu/x86_code.h"

#define REX_B 1u
#define REX_R 4u
#define RSP   4u
#define RBP   5u

static unsigned extended(const struct x86_code *code, unsigned number, unsigned prefix)
{
    return (number & 7) | (code->rex & prefix ? 8 : 0);
}

static bool is_register(const struct x86_code *code)
{
    return code->modrm >= 0xc0;
}

/* lea: whether its base is one of the two. */
static bool based_on_own(const struct x86_code *code)
{
    bool has_sib = (code->modrm & 7) == 4 && code->at < code->length;
    unsigned base = extended(code, has_sib ? code->bytes[code->at] : code->modrm, REX_B);

    return base == RSP || (base == RBP && code->modrm >= 0x40);
}

bool x86_moves_stack(const struct x86_code *code)
{
    unsigned low = extended(code, code->opcode, REX_B), rm = extended(code, code->modrm, REX_B);
    unsigned reg = extended(code, code->modrm >> 3, REX_R);

    if (code->map == 1 && !code->vex)
        return (code->opcode & 0xf0) == 0x40 && reg == RSP; /* cmovcc */
    if (code->map != 0)
        return false;
    switch (code->opcode) {
    case 0x5c: /* pop */
    case 0x94: /* xchg with rax */
    case 0xbc: /* mov of a number */
        return low == RSP;
    case 0x87: /* xchg */
        return reg == RSP || (is_register(code) && rm == RSP);
    case 0x89: /* mov */
        return is_register(code) && rm == RSP && reg != RBP;
    case 0x8b: /* mov */
        return reg == RSP && !(is_register(code) && rm == RBP);
    case 0x8d: /* lea */
        return reg == RSP && !based_on_own(code);
    case 0x8f: /* pop */
    case 0xc7: /* mov of a number */
        return is_register(code) && rm == RSP;
    default:
        return false;
    }
}
