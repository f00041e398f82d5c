/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Classes of MIPS IV and MIPS64 release 2 instructions. What is in no table here (DSP, MIPS16,
 * release 6, COP2) is unknown: it may fault.
 */
#include "tools/qpmu/decode_mips.h"

#include "tools/qpmu/include/qpmu.h"
#include "tools/qpmu/insn.h"

#define ALU    (QPMU_INSN_ISSUED | QPMU_INSN_UNIT)
#define TRAPS  (ALU | QPMU_INSN_MAY_FAULT)
#define LOAD   (QPMU_INSN_ISSUED | QPMU_INSN_LOAD | QPMU_INSN_MAY_FAULT)
#define STORE  (QPMU_INSN_ISSUED | QPMU_INSN_STORE | QPMU_INSN_MAY_FAULT)
#define PRE    (QPMU_INSN_ISSUED | QPMU_INSN_PREFETCH)
#define BRANCH (ALU | QPMU_INSN_COND_BRANCH | QPMU_INSN_DELAY_SLOT)
#define LIKELY (BRANCH | QPMU_INSN_LIKELY)
#define JUMP                                                                                       \
    (QPMU_INSN_JUMP | QPMU_INSN_DELAY_SLOT) /* neither jumps nor FP branches are issued            \
                                             */
#define COP   QPMU_INSN_PRIVILEGED
#define CACHE (QPMU_INSN_ISSUED | QPMU_INSN_MAY_FAULT)
#define HWR   QPMU_INSN_MAY_FAULT
#define MOVE  (QPMU_INSN_MAY_FAULT | ALU) /* to and from the FPU */
#define FPU   (MOVE | QPMU_INSN_FP)
#define WRONG (QPMU_INSN_UNKNOWN | QPMU_INSN_MAY_FAULT)
#define STOPS (QPMU_INSN_MAY_FAULT | QPMU_INSN_NEVER_GRADUATES)

/* By bits 31:26; 0 goes on below. */
static const uint32_t major[64] = {
    [0x02] = JUMP | QPMU_INSN_TARGET,
    [0x03] = JUMP | QPMU_INSN_TARGET,
    [0x04] = BRANCH,
    [0x05] = BRANCH,
    [0x06] = BRANCH,
    [0x07] = BRANCH, /* beq bne blez bgtz */
    [0x08] = TRAPS,
    [0x09] = ALU,
    [0x0a] = ALU,
    [0x0b] = ALU, /* addi addiu slti sltiu */
    [0x0c] = ALU,
    [0x0d] = ALU,
    [0x0e] = ALU,
    [0x0f] = ALU,   /* andi ori xori lui */
    [0x12] = WRONG, /* cop2 */
    [0x14] = LIKELY,
    [0x15] = LIKELY,
    [0x16] = LIKELY,
    [0x17] = LIKELY,
    [0x18] = TRAPS,
    [0x19] = ALU,
    [0x1a] = LOAD,
    [0x1b] = LOAD, /* daddi daddiu ldl ldr */
    [0x1d] = WRONG,
    [0x1e] = WRONG,
    [0x20] = LOAD,
    [0x21] = LOAD,
    [0x22] = LOAD,
    [0x23] = LOAD, /* lb lh lwl lw */
    [0x24] = LOAD,
    [0x25] = LOAD,
    [0x26] = LOAD,
    [0x27] = LOAD, /* lbu lhu lwr lwu */
    [0x28] = STORE,
    [0x29] = STORE,
    [0x2a] = STORE,
    [0x2b] = STORE, /* sb sh swl sw */
    [0x2c] = STORE,
    [0x2d] = STORE,
    [0x2e] = STORE,
    [0x2f] = CACHE, /* sdl sdr swr cache */
    [0x30] = LOAD | QPMU_INSN_LL,
    [0x31] = LOAD,
    [0x32] = WRONG,
    [0x33] = PRE, /* ll lwc1 - pref */
    [0x34] = LOAD | QPMU_INSN_LL,
    [0x35] = LOAD,
    [0x36] = WRONG,
    [0x37] = LOAD, /* lld ldc1 - ld */
    [0x38] = STORE | QPMU_INSN_SC,
    [0x39] = STORE,
    [0x3a] = WRONG,
    [0x3b] = WRONG, /* sc swc1 */
    [0x3c] = STORE | QPMU_INSN_SC,
    [0x3d] = STORE,
    [0x3e] = WRONG,
    [0x3f] = STORE, /* scd sdc1 - sd */
};

/* SPECIAL, by bits 5:0. */
static const uint32_t special[64] = {
    [0x00] = ALU,   [0x01] = ALU,   [0x02] = ALU,   [0x03] = ALU,   /* sll movci srl sra */
    [0x04] = ALU,   [0x05] = WRONG, [0x06] = ALU,   [0x07] = ALU,   /* sllv - srlv srav */
    [0x08] = JUMP,  [0x09] = JUMP,  [0x0a] = ALU,   [0x0b] = ALU,   /* jr jalr movz movn */
    [0x0c] = STOPS, [0x0d] = STOPS, [0x0e] = WRONG, [0x0f] = PRE,   /* syscall break - sync */
    [0x10] = ALU,   [0x11] = ALU,   [0x12] = ALU,   [0x13] = ALU,   /* mfhi mthi mflo mtlo */
    [0x14] = ALU,   [0x15] = WRONG, [0x16] = ALU,   [0x17] = ALU,   /* dsllv - dsrlv dsrav */
    [0x18] = ALU,   [0x19] = ALU,   [0x1a] = ALU,   [0x1b] = ALU,   /* mult multu div divu */
    [0x1c] = ALU,   [0x1d] = ALU,   [0x1e] = ALU,   [0x1f] = ALU,   /* dmult dmultu ddiv ddivu */
    [0x20] = TRAPS, [0x21] = ALU,   [0x22] = TRAPS, [0x23] = ALU,   /* add addu sub subu */
    [0x24] = ALU,   [0x25] = ALU,   [0x26] = ALU,   [0x27] = ALU,   /* and or xor nor */
    [0x28] = WRONG, [0x29] = WRONG, [0x2a] = ALU,   [0x2b] = ALU,   /* - - slt sltu */
    [0x2c] = TRAPS, [0x2d] = ALU,   [0x2e] = TRAPS, [0x2f] = ALU,   /* dadd daddu dsub dsubu */
    [0x30] = TRAPS, [0x31] = TRAPS, [0x32] = TRAPS, [0x33] = TRAPS, /* tge tgeu tlt tltu */
    [0x34] = TRAPS, [0x35] = WRONG, [0x36] = TRAPS, [0x37] = WRONG, /* teq - tne */
    [0x38] = ALU,   [0x39] = WRONG, [0x3a] = ALU,   [0x3b] = ALU,   /* dsll - dsrl dsra */
    [0x3c] = ALU,   [0x3d] = WRONG, [0x3e] = ALU,   [0x3f] = ALU,   /* dsll32 - dsrl32 dsra32 */
};

/* REGIMM, by bits 20:16; 0: unknown. */
static const uint32_t regimm[32] = {
    [0x00] = BRANCH, [0x01] = BRANCH, [0x02] = LIKELY, [0x03] = LIKELY, /* bltz bgez bltzl bgezl */
    [0x08] = TRAPS,  [0x09] = TRAPS,  [0x0a] = TRAPS,  [0x0b] = TRAPS,  /* tgei tgeiu tlti tltiu */
    [0x0c] = TRAPS,  [0x0e] = TRAPS,                                    /* teqi tnei */
    [0x10] = BRANCH, [0x11] = BRANCH, [0x12] = LIKELY, [0x13] = LIKELY, /* bltzal bgezal ... */
    [0x1f] = CACHE,                                                     /* synci */
};

/* SPECIAL2 and SPECIAL3, by bits 5:0; 0: unknown. */
static const uint32_t special2[64] = {
    [0x00] = ALU,   [0x01] = ALU, [0x02] = ALU, [0x04] = ALU,
    [0x05] = ALU,                                             /* madd maddu mul msub */
    [0x20] = ALU,   [0x21] = ALU, [0x24] = ALU, [0x25] = ALU, /* clz clo dclz dclo */
    [0x3f] = STOPS,                                           /* sdbbp */
};
static const uint32_t special3[64] = {
    [0x00] = ALU, [0x01] = ALU, [0x02] = ALU, [0x03] = ALU, /* ext dextm dextu dext */
    [0x04] = ALU, [0x05] = ALU, [0x06] = ALU, [0x07] = ALU, /* ins dinsm dinsu dins */
    [0x20] = ALU, [0x24] = ALU, [0x3b] = HWR,               /* bshfl dbshfl rdhwr */
};

static uint8_t special_cycles(unsigned function)
{
    switch (function) {
    case 0x18:
    case 0x19:
        return MIPS_CYCLES_MULT;
    case 0x1a:
    case 0x1b:
        return MIPS_CYCLES_DIV;
    case 0x1c:
    case 0x1d:
        return MIPS_CYCLES_DMULT;
    case 0x1e:
    case 0x1f:
        return MIPS_CYCLES_DDIV;
    default:
        return 1;
    }
}

static uint32_t decode_special(uint32_t word, struct qpmu_insn *insn)
{
    uint32_t flags = special[word & 63];

    insn->cycles = special_cycles(word & 63);
    if ((word & 0xffff003f) == 0 && (word >> 11 & 31) == 0)
        flags &= ~ALU; /* nop, ssnop, ehb, pause */
    return flags;
}

/* The lower halves of CP0: tlbr, eret, wait and others. */
static uint32_t decode_cp0_operation(uint32_t word)
{
    switch (word & 63) {
    case 0x18:
        return COP | QPMU_INSN_JUMP | QPMU_INSN_ERET;
    case 0x1f: /* deret */
        return COP | QPMU_INSN_JUMP;
    case 0x20:
        return COP | QPMU_INSN_HALT;
    case 0x01:
    case 0x02:
    case 0x06:
    case 0x08: /* tlbr tlbwi tlbwr tlbp */
        return COP;
    default:
        return WRONG;
    }
}

static uint32_t decode_cop0(uint32_t word, struct qpmu_insn *insn)
{
    unsigned rd = word >> 11 & 31;

    insn->select = word & 7;
    switch (word >> 21 & 31) {
    case 0:
    case 1: /* mfc0 dmfc0 */
        return COP | (rd == 25 ? QPMU_INSN_MFC0_PERF : 0);
    case 4:
    case 5: /* mtc0 dmtc0 */
        return COP | (rd == 25 ? QPMU_INSN_MTC0_PERF : 0) |
               (rd == 12 && insn->select == 0 ? QPMU_INSN_MTC0_STATUS : 0);
    case 10:
    case 11: /* rdpgpr di/ei */
    case 14: /* wrpgpr */
        return COP;
    default:
        return word >> 25 & 1 ? decode_cp0_operation(word) : WRONG;
    }
}

static uint8_t fpu_cycles(unsigned function, bool single)
{
    switch (function) {
    case 0x03: /* div */
    case 0x15: /* recip */
        return single ? MIPS_CYCLES_FP_DIV_S : MIPS_CYCLES_FP_DIV_D;
    case 0x04:
        return single ? MIPS_CYCLES_SQRT_S : MIPS_CYCLES_SQRT_D;
    case 0x16:
        return single ? MIPS_CYCLES_RSQRT_S : MIPS_CYCLES_RSQRT_D;
    default:
        return 1;
    }
}

static uint32_t decode_cop1(uint32_t word, struct qpmu_insn *insn)
{
    unsigned format = word >> 21 & 31;
    unsigned function = word & 63;

    switch (format) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
    case 7: /* mfc1 dmfc1 cfc1 mfhc1 mtc1 dmtc1 ctc1 mthc1 */
        return MOVE;
    case 8: /* bc1f bc1t bc1fl bc1tl; bc1any is not of this family */
        return QPMU_INSN_MAY_FAULT | QPMU_INSN_COND_BRANCH | QPMU_INSN_DELAY_SLOT |
               (word >> 17 & 1 ? QPMU_INSN_LIKELY : 0);
    case 16:
    case 17:
    case 20:
    case 21:
    case 22: /* s d w l ps */
        insn->cycles = fpu_cycles(function, format == 16);
        if (function == 6 || (function >= 0x11 && function <= 0x13))
            return MOVE; /* mov, movf, movz, movn */
        return FPU;
    default:
        return WRONG;
    }
}

static uint32_t decode_cop1x(uint32_t word)
{
    switch (word & 63) {
    case 0x00:
    case 0x01:
    case 0x05: /* lwxc1 ldxc1 luxc1 */
        return LOAD;
    case 0x08:
    case 0x09:
    case 0x0d: /* swxc1 sdxc1 suxc1 */
        return STORE;
    case 0x0f: /* prefx */
        return PRE | QPMU_INSN_MAY_FAULT;
    case 0x1e: /* alnv.ps */
        return MOVE;
    default:
        /* madd, msub, nmadd, nmsub of s, d, ps */
        return (word & 0x20) != 0 && (0x43 >> (word & 7) & 1) != 0 ? FPU : WRONG;
    }
}

static uint32_t decode(uint32_t word, struct qpmu_insn *insn)
{
    uint32_t flags;

    switch (word >> 26) {
    case 0x00:
        return decode_special(word, insn);
    case 0x01:
        flags = regimm[word >> 16 & 31];
        return flags != 0 ? flags : WRONG;
    case 0x10:
        return decode_cop0(word, insn);
    case 0x11:
        return decode_cop1(word, insn);
    case 0x13:
        return decode_cop1x(word);
    case 0x1c:
        flags = special2[word & 63];
        if ((word & 63) <= 5)
            insn->cycles = MIPS_CYCLES_MULT;
        return flags != 0 ? flags : WRONG;
    case 0x1f:
        flags = special3[word & 63];
        return flags != 0 ? flags : WRONG;
    default:
        return major[word >> 26];
    }
}

/* Branches that compare a register with itself or $0 with 0: QEMU knows their outcome when it
 * translates. One never taken is a no-op to it, and it goes on behind the slot if it is a likely
 * one. One always taken executes its slot. bltzal $0 keeps its slot: QEMU makes it a jump behind
 * that. */
static uint32_t decide(uint32_t word, struct qpmu_insn *insn, uint32_t flags)
{
    unsigned rs = word >> 21 & 31, rt = word >> 16 & 31, opcode = word >> 26;
    unsigned what = opcode == 1 ? 0x80 | rt : opcode & ~0x10u; /* beql as beq */

    if (what == 0x04 || what == 0x05 ? rs != rt : rs != 0)
        return flags;
    switch (what) {
    case 0x05: /* bne */
    case 0x07: /* bgtz */
    case 0x80: /* bltz */
    case 0x82: /* bltzl */
    case 0x92: /* bltzall */
        insn->skips = flags & QPMU_INSN_LIKELY ? 4 : 0;
        flags &= ~(QPMU_INSN_COND_BRANCH | QPMU_INSN_DELAY_SLOT | QPMU_INSN_LIKELY);
        return flags | QPMU_INSN_NEVER_TAKEN;
    case 0x04: /* beq */
    case 0x06: /* blez */
    case 0x83: /* bgezl */
    case 0x93: /* bgezall */
        return flags & ~QPMU_INSN_LIKELY;
    default:
        return flags;
    }
}

#define LINK 31u /* the register of return addresses */

/* Calls, returns, and what else has to do with the register of return addresses. */
static uint32_t link_flags(uint32_t word, uint32_t flags, const struct qpmu_insn *insn, uint64_t pc)
{
    unsigned opcode = word >> 26, rs = word >> 21 & 31, rt = word >> 16 & 31, rd = word >> 11 & 31;
    bool links = opcode == 1 && rt >= 0x10 && rt <= 0x13;
    bool always = opcode == 3 || (links && rs == 0 && (rt & 1) != 0); /* jal, bal */

    if (always && !(flags & QPMU_INSN_TARGET && insn->target == pc + 8))
        return QPMU_INSN_CALL;
    if (always || links)
        return QPMU_INSN_LINK;
    if (opcode == 0 && (word & 63) == 9)
        return rd == LINK ? QPMU_INSN_CALL : 0;
    if (opcode == 0 && (word & 63) == 8)
        return rs == LINK ? QPMU_INSN_RETURN : 0;
    if (opcode == 0)
        return rd == LINK ? QPMU_INSN_LINK : 0;
    if (flags & (QPMU_INSN_LOAD | QPMU_INSN_STORE))
        return rt == LINK && opcode != 0x11 && opcode != 0x13 && (opcode & 0x37) != 0x31 &&
                       (opcode & 0x37) != 0x35
                   ? QPMU_INSN_LINK
                   : 0;
    if ((opcode >= 0x08 && opcode <= 0x0f) || opcode == 0x18 || opcode == 0x19 ||
        (opcode == 0x10 && rs < 2) || (opcode == 0x11 && rs < 4))
        return rt == LINK ? QPMU_INSN_LINK : 0;
    if (opcode == 0x1f && (word & 63) >= 0x20)
        return (word & 63) == 0x3b ? (rt == LINK ? QPMU_INSN_LINK : 0)
                                   : (rd == LINK ? QPMU_INSN_LINK : 0);
    if (opcode == 0x1f)
        return rt == LINK ? QPMU_INSN_LINK : 0;
    return opcode == 0x1c && rd == LINK ? QPMU_INSN_LINK : 0;
}

void qpmu_decode_mips(uint32_t word, uint64_t pc, struct qpmu_insn *insn)
{
    uint32_t flags;

    *insn = (struct qpmu_insn){.length = 4, .cycles = 1};
    flags = decode(word, insn);
    if (word == (0x2c000000u | QPMU_HYPERCALL)) /* sltiu $0, $0, 0x5150 */
        flags |= QPMU_INSN_HYPERCALL;
    if ((flags & QPMU_INSN_COND_BRANCH) != 0)
        flags = decide(word, insn, flags);
    if ((flags & QPMU_INSN_COND_BRANCH) != 0) {
        flags |= QPMU_INSN_TARGET;
        insn->target = pc + 4 + ((uint64_t)(int64_t)(int16_t)(word & 0xffff) << 2);
    } else if ((flags & QPMU_INSN_TARGET) != 0) {
        insn->target = ((pc + 4) & ~0x0fffffffull) | (uint64_t)(word & 0x03ffffff) << 2;
    }
    insn->loads = (flags & (QPMU_INSN_LOAD | QPMU_INSN_PREFETCH)) != 0;
    insn->stores = (flags & QPMU_INSN_STORE) != 0;
    insn->flags = flags;
    insn->flags |= link_flags(word, flags, insn, pc);
}
