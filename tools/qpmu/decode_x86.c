/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Classes of x86 instructions. QEMU has cut the instruction out already, so only
 * prefixes, opcode and ModRM are looked at; whether an opcode's register form exists is QEMU's
 * business.
 */
#include "tools/qpmu/decode_x86.h"

#include <string.h>

#include "tools/qpmu/include/qpmu.h"
#include "tools/qpmu/insn.h"
#include "tools/qpmu/x86_code.h"

static bool is_memory(const struct x86_code *code)
{
    return code->modrm < 0xc0;
}

static unsigned middle(const struct x86_code *code)
{
    return code->modrm >> 3 & 7;
}

static void read_memory(struct qpmu_insn *insn)
{
    insn->loads++;
    insn->flags |= QPMU_INSN_LOAD | QPMU_INSN_MAY_FAULT;
}

static void write_memory(struct qpmu_insn *insn)
{
    insn->stores++;
    insn->flags |= QPMU_INSN_STORE | QPMU_INSN_MAY_FAULT;
}

static void set_target(const struct x86_code *code, uint64_t pc, struct qpmu_insn *insn,
                       unsigned size)
{
    bool near_16 = code->by_length && size == 4 && code->behind == 2 && !code->operand16;
    bool wide = code->mode == QPMU_CODE_64 && !near_16;
    uint32_t raw = 0;
    int64_t offset;

    if (size == 4 && (code->operand16 || near_16))
        size = 2;
    if (code->length <= size || (wide && size == 2))
        return;
    for (unsigned i = size; i > 0; i--)
        raw = raw << 8 | code->bytes[code->length - 1 - (size - i)];
    offset = size == 1 ? (int8_t)raw : size == 2 ? (int16_t)raw : (int32_t)raw;
    insn->target = pc + code->length + (uint64_t)offset;
    if (!wide)
        insn->target &= code->mode == QPMU_CODE_32 && code->operand16 ? 0xffff : 0xffffffff;
    insn->flags |= QPMU_INSN_TARGET;
}

static void apply(const struct x86_code *code, char letter, uint64_t pc, struct qpmu_insn *insn)
{
    switch (letter) {
    case 'r':
        if (is_memory(code))
            read_memory(insn);
        break;
    case 'w':
        if (is_memory(code))
            write_memory(insn);
        break;
    case 'm':
        if (is_memory(code)) {
            read_memory(insn);
            write_memory(insn);
        }
        break;
    case 'i':
    case 'o':
        read_memory(insn);
        break;
    case 's':
    case 'u':
        write_memory(insn);
        break;
    case 'p':
        insn->flags |= QPMU_INSN_PRIVILEGED;
        break;
    case 'c':
        insn->flags |= QPMU_INSN_COND_BRANCH;
        set_target(code, pc, insn, code->map == 1 ? 4 : 1);
        break;
    case '?':
        insn->flags |= QPMU_INSN_UNKNOWN | QPMU_INSN_MAY_FAULT;
        break;
    default:
        break;
    }
}

/* ins, outs, movs, cmps, stos, lods, scas. */
static void decode_string(const struct x86_code *code, struct qpmu_insn *insn)
{
    switch (code->opcode & 0xfe) {
    case 0x6c:
        insn->flags |= QPMU_INSN_PRIVILEGED;
        write_memory(insn);
        break;
    case 0xaa:
        write_memory(insn);
        break;
    case 0x6e:
        insn->flags |= QPMU_INSN_PRIVILEGED;
        read_memory(insn);
        break;
    case 0xa4:
        read_memory(insn);
        write_memory(insn);
        break;
    case 0xa6:
        read_memory(insn);
        read_memory(insn);
        break;
    default:
        read_memory(insn);
        break;
    }
    if (code->repeat != 0)
        insn->flags |= QPMU_INSN_REP;
}

/* f6, f7: test test not neg mul imul div idiv. */
static char decode_group3(const struct x86_code *code, struct qpmu_insn *insn)
{
    if (middle(code) == 4 || middle(code) == 5)
        insn->cycles = X86_CYCLES_MUL;
    if (middle(code) >= 6) {
        insn->cycles = code->opcode == 0xf7 && code->wide ? X86_CYCLES_DIV64 : X86_CYCLES_DIV;
        insn->flags |= QPMU_INSN_MAY_FAULT;
    }
    return "rrmmrrrr"[middle(code)];
}

/* fe, ff: inc dec call callf jmp jmpf push. */
static char decode_group5(const struct x86_code *code, struct qpmu_insn *insn)
{
    unsigned which = middle(code);

    if (code->opcode == 0xfe)
        return which < 2 ? 'm' : '?';
    if (which >= 2 && which <= 5)
        insn->flags |= QPMU_INSN_JUMP;
    if (which == 2)
        insn->flags |= QPMU_INSN_CALL;
    if (which == 2 || which == 3 || which == 6)
        write_memory(insn);
    if (which == 3)
        write_memory(insn);
    if ((which == 3 || which == 5) && is_memory(code))
        read_memory(insn);
    return "mmrrrrr?"[which];
}

static char decode_x87(const struct x86_code *code, struct qpmu_insn *insn)
{
    unsigned which = middle(code);

    insn->flags |= QPMU_INSN_MAY_FAULT;
    if ((code->opcode == 0xd9 && code->modrm >= 0xf0) ||
        ((code->opcode & 1) == 0 && which >= 6 && (code->opcode != 0xdf)))
        insn->cycles = X86_CYCLES_X87;
    return is_memory(code) ? x86_x87[code->opcode & 7][which] : '.';
}

/* The x's of x86_one_byte that transfer control; false: it is none. */
static bool decode_transfer(const struct x86_code *code, uint64_t pc, struct qpmu_insn *insn)
{
    switch (code->opcode) {
    case 0xc2:
    case 0xc3: /* ret */
        read_memory(insn);
        insn->flags |= QPMU_INSN_RETURN;
        break;
    case 0xca:
    case 0xcb: /* retf */
        read_memory(insn);
        read_memory(insn);
        break;
    case 0xcf:
        for (int word = code->mode == QPMU_CODE_64 ? 5 : 3; word > 0; word--)
            read_memory(insn);
        break;
    case 0xe8:
        write_memory(insn);
        set_target(code, pc, insn, 4);
        if (insn->target != pc + insn->length)
            insn->flags |= QPMU_INSN_CALL;
        break;
    case 0xe9:
        set_target(code, pc, insn, 4);
        break;
    case 0xeb:
        set_target(code, pc, insn, 1);
        break;
    case 0xcc:
    case 0xcd:
    case 0xf1: /* int: what the trap pushes is not the instruction's */
        break;
    default:
        return false;
    }
    insn->flags |= QPMU_INSN_JUMP;
    return true;
}

/* Of what is undefined in 64-bit code, QEMU has cut out no more than the opcode. */
static bool is_legacy(const struct x86_code *code)
{
    if (code->by_length && (code->opcode == 0x9a || code->opcode == 0xea))
        return code->behind >= 4;
    if (code->by_length && code->opcode == 0xd4)
        return code->behind == 1;
    return code->mode != QPMU_CODE_64;
}

static char decode_one(const struct x86_code *code, uint64_t pc, struct qpmu_insn *insn)
{
    char letter = is_legacy(code) ? x86_decode_legacy(code, insn) : '\0';

    if (letter != '\0')
        return letter;
    letter = x86_one_byte[code->opcode];
    if (code->opcode == 0x69 || code->opcode == 0x6b)
        insn->cycles = X86_CYCLES_MUL;
    if (code->opcode == 0x8e || code->opcode == 0x9b) /* mov to a segment register, fwait */
        insn->flags |= QPMU_INSN_MAY_FAULT;
    if (letter != 'x')
        return letter;
    if ((code->opcode & 0xf8) == 0xd8)
        return decode_x87(code, insn);
    if (decode_transfer(code, pc, insn))
        return '.';
    switch (code->opcode) {
    case 0x80:
    case 0x81:
    case 0x83:
        return middle(code) == 7 ? 'r' : 'm';
    case 0x8f: /* pop to memory */
        read_memory(insn);
        return 'w';
    case 0xc8:
        return 'u';
    case 0xf4:
        insn->flags |= QPMU_INSN_HALT | QPMU_INSN_PRIVILEGED;
        return '.';
    case 0xf6:
    case 0xf7:
        return decode_group3(code, insn);
    case 0xfe:
    case 0xff:
        return decode_group5(code, insn);
    default:
        decode_string(code, insn);
        return '.';
    }
}

/* 0f 01: sgdt sidt lgdt lidt smsw - lmsw invlpg; the register forms are instructions of their own.
 */
static char decode_group7(const struct x86_code *code, struct qpmu_insn *insn)
{
    insn->flags |= QPMU_INSN_PRIVILEGED;
    if (code->modrm == 0xc9) /* mwait */
        insn->flags |= QPMU_INSN_HALT;
    if (!is_memory(code) && (code->modrm & 0x38) != 0x20 && (code->modrm & 0x38) != 0x30 &&
        code->modrm != 0xf8 && code->modrm != 0xf9)
        insn->flags |= QPMU_INSN_MAY_FAULT; /* virtual machines, xsetbv, monitor, ... */
    return "wwrrw?rn"[middle(code)];
}

/* The x's of x86_two_byte but those that transfer control. */
static char decode_two_special(const struct x86_code *code, struct qpmu_insn *insn)
{
    switch (code->opcode) {
    case 0x00: /* sldt str lldt ltr verr verw */
        insn->flags |= QPMU_INSN_PRIVILEGED | (middle(code) >= 2 ? QPMU_INSN_MAY_FAULT : 0);
        return "wwrrrr??"[middle(code)];
    case 0x01:
        return decode_group7(code, insn);
    case 0x0b:
    case 0xb9:
    case 0xff:
        insn->flags |= QPMU_INSN_NEVER_GRADUATES | QPMU_INSN_MAY_FAULT;
        return '.';
    case 0x30:
        insn->flags |= QPMU_INSN_WRMSR;
        return 'p';
    case 0x32:
        insn->flags |= QPMU_INSN_RDMSR;
        return 'p';
    case 0x33:
        insn->flags |= QPMU_INSN_RDPMC | QPMU_INSN_MAY_FAULT;
        return '.';
    case 0x7e: /* movd to memory, but movq from memory */
        return code->repeat == 0xf3 ? 'r' : 'w';
    case 0xa2:
        insn->flags |= QPMU_INSN_CPUID;
        return '.';
    case 0xae: /* fxsave fxrstor ldmxcsr stmxcsr xsave xrstor xsaveopt clflush, and fences */
        return is_memory(code) ? "wrrwwrwn"[middle(code)] : '.';
    case 0xba:
        return middle(code) == 4 ? 'r' : 'm';
    default: /* c7: cmpxchg8b, xrstors, xsavec, xsaves; rdrand, rdseed */
        return "?m?rwwrr"[middle(code)];
    }
}

/* Whether it needs the FPU or vector registers, and so faults where they are off. */
static bool is_vector(const struct x86_code *code)
{
    uint8_t opcode = code->opcode;

    if (code->vex || code->map == 3)
        return true;
    if (code->map == 2)
        return opcode < 0x80 || (opcode >= 0xc8 && opcode < 0xf0);
    return (opcode >= 0x10 && opcode <= 0x17) || (opcode >= 0x28 && opcode <= 0x2f) ||
           (opcode >= 0x50 && opcode <= 0x7f) || opcode == 0xae || opcode == 0xc2 ||
           (opcode >= 0xc4 && opcode <= 0xc6) || (opcode >= 0xd0 && opcode < 0xff);
}

static char decode_two(const struct x86_code *code, struct qpmu_insn *insn)
{
    switch (code->opcode) {
    case 0x05: /* syscall */
    case 0x07: /* sysret */
    case 0x34: /* sysenter */
    case 0x35: /* sysexit */
        insn->flags |=
            QPMU_INSN_JUMP | (code->opcode & 1 && code->opcode != 0x05 ? QPMU_INSN_PRIVILEGED : 0);
        return '.';
    case 0x51: /* sqrt */
    case 0x5e: /* div */
        insn->cycles = X86_CYCLES_FP_DIV;
        return 'r';
    case 0x31: /* rdtsc */
        return 'p';
    case 0xaf: /* imul */
        insn->cycles = X86_CYCLES_MUL;
        return 'r';
    default:
        if (x86_two_byte[code->opcode] == 'x')
            return decode_two_special(code, insn);
        return x86_two_byte[code->opcode];
    }
}

/* 0f 38 and 0f 3a: nearly all read. */
static char decode_three(const struct x86_code *code)
{
    uint8_t opcode = code->opcode;

    if (code->map == 2) {
        if (opcode == 0xf1 && code->repeat != 0xf2) /* movbe to memory */
            return 'w';
        if (code->vex && (opcode == 0x2e || opcode == 0x2f || opcode == 0x8e)) /* masked stores */
            return 'w';
        return 'r';
    }
    if (opcode >= 0x14 && opcode <= 0x17) /* pextr, extractps */
        return 'w';
    return code->vex && (opcode == 0x19 || opcode == 0x39 || opcode == 0x1d) ? 'w' : 'r';
}

static bool is_hypercall(const uint8_t *bytes, size_t length)
{
    static const uint8_t hypercall[7] = {
        0x0f, 0x1f, 0x80, QPMU_HYPERCALL & 0xff, QPMU_HYPERCALL >> 8, 0, 0};

    return length == sizeof(hypercall) && memcmp(bytes, hypercall, sizeof(hypercall)) == 0;
}

void qpmu_decode_x86(const uint8_t *bytes, size_t length, enum qpmu_code mode, uint64_t pc,
                     struct qpmu_insn *insn)
{
    struct x86_code code;
    char letter;

    *insn = (struct qpmu_insn){.length = (uint8_t)length, .cycles = 1};
    x86_code_read(&code, bytes, length, mode);
    if (code.map == 0)
        letter = decode_one(&code, pc, insn);
    else if (code.map == 1)
        letter = decode_two(&code, insn);
    else
        letter = code.map <= 3 ? decode_three(&code) : '?';
    apply(&code, letter, pc, insn);
    if (code.map != 0 && is_vector(&code))
        insn->flags |= QPMU_INSN_MAY_FAULT;
    insn->flags |= x86_moves_stack(&code) ? QPMU_INSN_LINK : 0;
    if (is_hypercall(bytes, length))
        insn->flags |= QPMU_INSN_HYPERCALL;
}
