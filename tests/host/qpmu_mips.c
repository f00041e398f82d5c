/* SPDX-License-Identifier: BSD-2-Clause */
/* The MIPS decoder against a list written by hand, and the list against the assembler. */
#include "tests/host/test.h"
#include "tools/qpmu/decode_mips.h"
#include "tools/qpmu/insn.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define F         QPMU_INSN_MAY_FAULT
#define ALU       (QPMU_INSN_ISSUED | QPMU_INSN_UNIT)
#define LD        (QPMU_INSN_ISSUED | QPMU_INSN_LOAD | F)
#define ST        (QPMU_INSN_ISSUED | QPMU_INSN_STORE | F)
#define LL_       QPMU_INSN_LL
#define SC_       QPMU_INSN_SC
#define PRE       (QPMU_INSN_ISSUED | QPMU_INSN_PREFETCH)
#define CACHE     (QPMU_INSN_ISSUED | F)
#define TARGET    QPMU_INSN_TARGET
#define BR        (ALU | QPMU_INSN_COND_BRANCH | QPMU_INSN_DELAY_SLOT | TARGET)
#define FBR       (F | QPMU_INSN_COND_BRANCH | QPMU_INSN_DELAY_SLOT | TARGET)
#define LIKELY    QPMU_INSN_LIKELY
#define NEVER     (ALU | QPMU_INSN_NEVER_TAKEN)
#define JUMP      QPMU_INSN_JUMP
#define JP        (QPMU_INSN_JUMP | QPMU_INSN_DELAY_SLOT)
#define TRAP      (F | QPMU_INSN_NEVER_GRADUATES)
#define COP       QPMU_INSN_PRIVILEGED
#define STATUS    QPMU_INSN_MTC0_STATUS
#define WAIT      QPMU_INSN_HALT
#define ERET_     QPMU_INSN_ERET
#define RD        QPMU_INSN_MFC0_PERF
#define WR        QPMU_INSN_MTC0_PERF
#define MOVE      (ALU | F)
#define FPU       (ALU | F | QPMU_INSN_FP)
#define HYPERCALL QPMU_INSN_HYPERCALL
#define CALL      QPMU_INSN_CALL
#define RETURN    QPMU_INSN_RETURN
#define LINK      QPMU_INSN_LINK

static const struct {
    const char *text;
    uint32_t word;
    uint32_t flags;
    unsigned cycles;
} list[] = {
    /* clang-format off */
    {"addiu $2,$3,4", 0x24620004u, ALU, 1},
    {"daddiu $2,$3,4", 0x64620004u, ALU, 1},
    {"addu $2,$3,$4", 0x00641021u, ALU, 1},
    {"daddu $2,$3,$4", 0x0064102du, ALU, 1},
    {"and $2,$3,$4", 0x00641024u, ALU, 1},
    {"lui $2,1", 0x3c020001u, ALU, 1},
    {"slti $2,$3,1", 0x28620001u, ALU, 1},
    {"sltiu $2,$3,1", 0x2c620001u, ALU, 1},
    {"ori $2,$3,1", 0x34620001u, ALU, 1},
    {"xori $2,$3,1", 0x38620001u, ALU, 1},
    {"nor $2,$3,$4", 0x00641027u, ALU, 1},
    {"sll $2,$3,4", 0x00031100u, ALU, 1},
    {"dsll32 $2,$3,4", 0x0003113cu, ALU, 1},
    {"dsra $2,$3,4", 0x0003113bu, ALU, 1},
    {"srlv $2,$3,$4", 0x00831006u, ALU, 1},
    {"movz $2,$3,$4", 0x0064100au, ALU, 1},
    {"movn $2,$3,$4", 0x0064100bu, ALU, 1},
    {"movf $2,$3,$fcc0", 0x00601001u, ALU, 1},
    {"mfhi $2", 0x00001010u, ALU, 1},
    {"mtlo $2", 0x00400013u, ALU, 1},
    {"clz $2,$3", 0x70621020u, ALU, 1},
    {"dclo $2,$3", 0x70621025u, ALU, 1},
    {"ext $2,$3,1,2", 0x7c620840u, ALU, 1},
    {"dins $2,$3,1,2", 0x7c621047u, ALU, 1},
    {"seb $2,$3", 0x7c031420u, ALU, 1},
    {"dsbh $2,$3", 0x7c0310a4u, ALU, 1},
    {"slt $2,$3,$4", 0x0064102au, ALU, 1},
    {"rotr $2,$3,4", 0x00231102u, ALU, 1},
    {"mult $2,$3", 0x00430018u, ALU, 6},
    {"multu $2,$3", 0x00430019u, ALU, 6},
    {"mul $2,$3,$4", 0x70641002u, ALU, 6},
    {"madd $2,$3", 0x70430000u, ALU, 6},
    {"msubu $2,$3", 0x70430005u, ALU, 6},
    {"dmult $2,$3", 0x0043001cu, ALU, 10},
    {"dmultu $2,$3", 0x0043001du, ALU, 10},
    {"div $0,$2,$3", 0x0043001au, ALU, 35},
    {"divu $0,$2,$3", 0x0043001bu, ALU, 35},
    {"ddiv $0,$2,$3", 0x0043001eu, ALU, 67},
    {"ddivu $0,$2,$3", 0x0043001fu, ALU, 67},
    {"add $2,$3,$4", 0x00641020u, ALU | F, 1},
    {"addi $2,$3,4", 0x20620004u, ALU | F, 1},
    {"sub $2,$3,$4", 0x00641022u, ALU | F, 1},
    {"dadd $2,$3,$4", 0x0064102cu, ALU | F, 1},
    {"daddi $2,$3,4", 0x60620004u, ALU | F, 1},
    {"dsub $2,$3,$4", 0x0064102eu, ALU | F, 1},
    {"tge $2,$3", 0x00430030u, ALU | F, 1},
    {"teq $2,$3", 0x00430034u, ALU | F, 1},
    {"tnei $2,4", 0x044e0004u, ALU | F, 1},
    {"tltiu $2,4", 0x044b0004u, ALU | F, 1},
    {"nop", 0x00000000u, 0, 1},
    {"ssnop", 0x00000040u, 0, 1},
    {"ehb", 0x000000c0u, 0, 1},
    {"lb $2,0($3)", 0x80620000u, LD, 1},
    {"lbu $2,0($3)", 0x90620000u, LD, 1},
    {"lh $2,0($3)", 0x84620000u, LD, 1},
    {"lhu $2,0($3)", 0x94620000u, LD, 1},
    {"lw $2,0($3)", 0x8c620000u, LD, 1},
    {"lwu $2,0($3)", 0x9c620000u, LD, 1},
    {"ld $2,0($3)", 0xdc620000u, LD, 1},
    {"lwl $2,0($3)", 0x88620000u, LD, 1},
    {"lwr $2,0($3)", 0x98620000u, LD, 1},
    {"ldl $2,0($3)", 0x68620000u, LD, 1},
    {"ldr $2,0($3)", 0x6c620000u, LD, 1},
    {"lwc1 $f2,0($3)", 0xc4620000u, LD, 1},
    {"ldc1 $f2,0($3)", 0xd4620000u, LD, 1},
    {"lwxc1 $f2,$4($3)", 0x4c640080u, LD, 1},
    {"ldxc1 $f2,$4($3)", 0x4c640081u, LD, 1},
    {"luxc1 $f2,$4($3)", 0x4c640085u, LD, 1},
    {"ll $2,0($3)", 0xc0620000u, LD | LL_, 1},
    {"lld $2,0($3)", 0xd0620000u, LD | LL_, 1},
    {"sb $2,0($3)", 0xa0620000u, ST, 1},
    {"sh $2,0($3)", 0xa4620000u, ST, 1},
    {"sw $2,0($3)", 0xac620000u, ST, 1},
    {"sd $2,0($3)", 0xfc620000u, ST, 1},
    {"swl $2,0($3)", 0xa8620000u, ST, 1},
    {"swr $2,0($3)", 0xb8620000u, ST, 1},
    {"sdl $2,0($3)", 0xb0620000u, ST, 1},
    {"sdr $2,0($3)", 0xb4620000u, ST, 1},
    {"swc1 $f2,0($3)", 0xe4620000u, ST, 1},
    {"sdc1 $f2,0($3)", 0xf4620000u, ST, 1},
    {"swxc1 $f2,$4($3)", 0x4c641008u, ST, 1},
    {"sdxc1 $f2,$4($3)", 0x4c641009u, ST, 1},
    {"suxc1 $f2,$4($3)", 0x4c64100du, ST, 1},
    {"sc $2,0($3)", 0xe0620000u, ST | SC_, 1},
    {"scd $2,0($3)", 0xf0620000u, ST | SC_, 1},
    {"pref 1,0($3)", 0xcc610000u, PRE, 1},
    {"sync", 0x0000000fu, PRE, 1},
    {"prefx 1,$4($3)", 0x4c64080fu, PRE | F, 1},
    {"cache 1,0($3)", 0xbc610000u, CACHE, 1},
    {"synci 0($3)", 0x047f0000u, CACHE, 1},
    {"beq $2,$3,.+8", 0x10430001u, BR, 1},
    {"bne $2,$3,.+8", 0x14430001u, BR, 1},
    {"blez $2,.+8", 0x18400001u, BR, 1},
    {"bgtz $2,.+8", 0x1c400001u, BR, 1},
    {"bltz $2,.+8", 0x04400001u, BR, 1},
    {"bgez $2,.+8", 0x04410001u, BR, 1},
    {"bltzal $2,.+8", 0x04500001u, BR | LINK, 1},
    {"bgezal $2,.+8", 0x04510001u, BR | LINK, 1},
    {"b .+8", 0x10000001u, BR, 1},
    {"beqz $2,.-4", 0x1040fffeu, BR, 1},
    {"beql $2,$3,.+8", 0x50430001u, BR | LIKELY, 1},
    {"bnel $2,$3,.+8", 0x54430001u, BR | LIKELY, 1},
    {"blezl $2,.+8", 0x58400001u, BR | LIKELY, 1},
    {"bgtzl $2,.+8", 0x5c400001u, BR | LIKELY, 1},
    {"bltzl $2,.+8", 0x04420001u, BR | LIKELY, 1},
    {"bgezl $2,.+8", 0x04430001u, BR | LIKELY, 1},
    {"bltzall $2,.+8", 0x04520001u, BR | LINK | LIKELY, 1},
    {"bgezall $2,.+8", 0x04530001u, BR | LINK | LIKELY, 1},
    {"bne $2,$2,.+8", 0x14420001u, NEVER, 1},
    {"bgtz $0,.+8", 0x1c000001u, NEVER, 1},
    {"bltz $0,.+8", 0x04000001u, NEVER, 1},
    {"bnel $2,$2,.+8", 0x54420001u, NEVER, 1},
    {"bgtzl $0,.+8", 0x5c000001u, NEVER, 1},
    {"bltzl $0,.+8", 0x04020001u, NEVER, 1},
    {"bltzall $0,.+8", 0x04120001u, NEVER | LINK, 1},
    {"bltzal $0,.+8", 0x04100001u, BR | LINK, 1},
    {"beql $2,$2,.+8", 0x50420001u, BR, 1},
    {"blez $0,.+8", 0x18000001u, BR, 1},
    {"blezl $0,.+8", 0x58000001u, BR, 1},
    {"bgez $0,.+8", 0x04010001u, BR, 1},
    {"bgezl $0,.+8", 0x04030001u, BR, 1},
    {"bal .+8", 0x04110001u, BR | LINK, 1},
    {"bgezall $0,.+8", 0x04130001u, BR | LINK, 1},
    {"bne $2,$0,.+8", 0x14400001u, BR, 1},
    {"bne $0,$2,.+8", 0x14020001u, BR, 1},
    {"bc1f .+8", 0x45000001u, FBR, 1},
    {"bc1t .+8", 0x45010001u, FBR, 1},
    {"bc1t $fcc3,.+8", 0x450d0001u, FBR, 1},
    {"bc1fl .+8", 0x45020001u, FBR | LIKELY, 1},
    {"bc1tl .+8", 0x45030001u, FBR | LIKELY, 1},
    {"j 0x1000", 0x08000400u, JP | TARGET, 1},
    {"jal 0x1000", 0x0c000400u, JP | TARGET | CALL, 1},
    {"bal .+12", 0x04110002u, BR | CALL, 1},
    {"jalr $3,$2", 0x00401809u, JP, 1},
    {"jr $2", 0x00400008u, JP, 1},
    {"sd $31,8($29)", 0xffbf0008u, ST | LINK, 1},
    {"ld $31,8($29)", 0xdfbf0008u, LD | LINK, 1},
    {"sw $31,8($29)", 0xafbf0008u, ST | LINK, 1},
    {"lw $31,8($29)", 0x8fbf0008u, LD | LINK, 1},
    {"ldc1 $f31,8($29)", 0xd7bf0008u, LD, 1},
    {"sdc1 $f31,8($29)", 0xf7bf0008u, ST, 1},
    {"or $31,$2,$0", 0x0040f825u, ALU | LINK, 1},
    {"or $2,$31,$0", 0x03e01025u, ALU, 1},
    {"li $31,1", 0x241f0001u, ALU | LINK, 1},
    {"mfc1 $31,$f2", 0x441f1000u, MOVE | LINK, 1},
    {"mtc1 $31,$f2", 0x449f1000u, MOVE, 1},
    {"jr $31", 0x03e00008u, JP | RETURN, 1},
    {"jalr $2", 0x0040f809u, JP | CALL, 1},
    {"jr.hb $31", 0x03e00408u, JP | RETURN, 1},
    {"syscall", 0x0000000cu, TRAP, 1},
    {"break", 0x0000000du, TRAP, 1},
    {"sdbbp", 0x7000003fu, TRAP, 1},
    {"mfc0 $2,$9", 0x40024800u, COP, 1},
    {"mtc0 $2,$11", 0x40825800u, COP, 1},
    {"dmfc0 $2,$14", 0x40227000u, COP, 1},
    {"dmtc0 $2,$14", 0x40a27000u, COP, 1},
    {"tlbwr", 0x42000006u, COP, 1},
    {"tlbwi", 0x42000002u, COP, 1},
    {"tlbp", 0x42000008u, COP, 1},
    {"tlbr", 0x42000001u, COP, 1},
    {"di", 0x41606000u, COP, 1},
    {"ei", 0x41606020u, COP, 1},
    {"rdpgpr $2,$3", 0x41431000u, COP, 1},
    {"wrpgpr $2,$3", 0x41c31000u, COP, 1},
    {"mfc0 $2,$12", 0x40026000u, COP, 1},
    {"mtc0 $2,$12,1", 0x40826001u, COP, 1},
    {"mtc0 $2,$12", 0x40826000u, COP | STATUS, 1},
    {"dmtc0 $2,$12", 0x40a26000u, COP | STATUS, 1},
    {"wait", 0x42000020u, COP | WAIT, 1},
    {"eret", 0x42000018u, COP | JUMP | ERET_, 1},
    {"mfc0 $2,$25", 0x4002c800u, COP | RD, 1},
    {"mfc0 $2,$25,1", 0x4002c801u, COP | RD, 1},
    {"mfc0 $2,$25,3", 0x4002c803u, COP | RD, 1},
    {"dmfc0 $2,$25,1", 0x4022c801u, COP | RD, 1},
    {"mtc0 $2,$25", 0x4082c800u, COP | WR, 1},
    {"mtc0 $2,$25,1", 0x4082c801u, COP | WR, 1},
    {"mtc0 $2,$25,2", 0x4082c802u, COP | WR, 1},
    {"dmtc0 $2,$25,3", 0x40a2c803u, COP | WR, 1},
    {"rdhwr $2,$29", 0x7c02e83bu, F, 1},
    {"add.s $f2,$f4,$f6", 0x46062080u, FPU, 1},
    {"add.d $f2,$f4,$f6", 0x46262080u, FPU, 1},
    {"sub.d $f2,$f4,$f6", 0x46262081u, FPU, 1},
    {"mul.s $f2,$f4,$f6", 0x46062082u, FPU, 1},
    {"abs.d $f2,$f4", 0x46202085u, FPU, 1},
    {"neg.s $f2,$f4", 0x46002087u, FPU, 1},
    {"cvt.d.s $f2,$f4", 0x460020a1u, FPU, 1},
    {"cvt.s.w $f2,$f4", 0x468020a0u, FPU, 1},
    {"cvt.d.l $f2,$f4", 0x46a020a1u, FPU, 1},
    {"trunc.w.d $f2,$f4", 0x4620208du, FPU, 1},
    {"c.lt.d $f2,$f4", 0x4624103cu, FPU, 1},
    {"madd.s $f2,$f4,$f6,$f8", 0x4c8830a0u, FPU, 1},
    {"madd.d $f2,$f4,$f6,$f8", 0x4c8830a1u, FPU, 1},
    {"nmsub.d $f2,$f4,$f6,$f8", 0x4c8830b9u, FPU, 1},
    {"msub.s $f2,$f4,$f6,$f8", 0x4c8830a8u, FPU, 1},
    {"div.s $f2,$f4,$f6", 0x46062083u, FPU, 12},
    {"recip.s $f2,$f4", 0x46002095u, FPU, 12},
    {"div.d $f2,$f4,$f6", 0x46262083u, FPU, 19},
    {"recip.d $f2,$f4", 0x46202095u, FPU, 19},
    {"sqrt.s $f2,$f4", 0x46002084u, FPU, 18},
    {"sqrt.d $f2,$f4", 0x46202084u, FPU, 33},
    {"rsqrt.s $f2,$f4", 0x46002096u, FPU, 30},
    {"rsqrt.d $f2,$f4", 0x46202096u, FPU, 52},
    {"mov.s $f2,$f4", 0x46002086u, MOVE, 1},
    {"mov.d $f2,$f4", 0x46202086u, MOVE, 1},
    {"movf.d $f2,$f4,$fcc0", 0x46202091u, MOVE, 1},
    {"movz.s $f2,$f4,$5", 0x46052092u, MOVE, 1},
    {"movn.d $f2,$f4,$5", 0x46252093u, MOVE, 1},
    {"mfc1 $2,$f4", 0x44022000u, MOVE, 1},
    {"dmtc1 $2,$f4", 0x44a22000u, MOVE, 1},
    {"cfc1 $2,$31", 0x4442f800u, MOVE, 1},
    {"ctc1 $2,$31", 0x44c2f800u, MOVE, 1},
    {"sltiu $0,$0,0x5150", 0x2c005150u, ALU | HYPERCALL, 1},
    /* clang-format on */
};

#define COUNT (sizeof(list) / sizeof(list[0]))

TEST(qpmu_mips_classes)
{
    for (unsigned i = 0; i < COUNT; i++) {
        struct qpmu_insn insn;
        bool right;

        qpmu_decode_mips(list[i].word, 0xffffffff80001000, &insn);
        right = insn.flags == list[i].flags && insn.cycles == list[i].cycles && insn.length == 4;
        if (!right)
            fprintf(stderr, "%s: %#x, %u cycles; expected %#x, %u\n", list[i].text, insn.flags,
                    insn.cycles, list[i].flags, list[i].cycles);
        CHECK(right);
        CHECK_EQUAL(insn.loads,
                    (list[i].flags & (QPMU_INSN_LOAD | QPMU_INSN_PREFETCH)) != 0 ? 1 : 0);
        CHECK_EQUAL(insn.stores, (list[i].flags & QPMU_INSN_STORE) != 0 ? 1 : 0);
    }
}

TEST(qpmu_mips_targets)
{
    struct qpmu_insn insn;

    qpmu_decode_mips(0x1040fffe, 0xffffffff80001000, &insn); /* beqz $2, .-4 */
    CHECK_EQUAL(insn.target, 0xffffffff80000ffc);
    qpmu_decode_mips(0x10407fff, 0x1000, &insn);
    CHECK_EQUAL(insn.target, 0x1004 + 0x1fffc);
    qpmu_decode_mips(0x08000400, 0xffffffff8ffffffc, &insn); /* j: the region of the delay slot */
    CHECK_EQUAL(insn.target, 0xffffffff90001000);
    qpmu_decode_mips(0x4082c803, 0, &insn); /* mtc0 $2, $25, 3 */
    CHECK_EQUAL(insn.select, 3);
    qpmu_decode_mips(0x4000c801, 0, &insn); /* mfpc $0, 0 */
    CHECK_EQUAL(insn.flags, COP | RD);
    CHECK_EQUAL(insn.select, 1);
}

/* Not of MIPS IV or MIPS64 release 2, or of no instruction. */
TEST(qpmu_mips_unknown)
{
    static const uint32_t words[] = {0x48000000, 0x70000010, 0x7c00000a, 0x04040000, 0x0000000e,
                                     0x42000010, 0x47e00000, 0x4c000010, 0xcbe00000, 0x76000000};

    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        struct qpmu_insn insn;

        qpmu_decode_mips(words[i], 0, &insn);
        CHECK_EQUAL(insn.flags & QPMU_INSN_UNKNOWN, QPMU_INSN_UNKNOWN);
        CHECK((insn.flags & F) != 0);
    }
}

/* The slot of a likely branch that is never taken never executes: what follows is behind it. */
TEST(qpmu_mips_skips)
{
    static const uint32_t likely[] = {0x54420001, 0x5c000001, 0x04020001, 0x04120001};
    static const uint32_t others[] = {0x14420001, 0x1c000001, 0x04000001, 0x04100001, 0x50420001,
                                      0x54430001, 0x58000001, 0x04030001, 0x45020001, 0x00000000};
    struct qpmu_insn insn;

    for (unsigned i = 0; i < sizeof(likely) / sizeof(likely[0]); i++) {
        qpmu_decode_mips(likely[i], 0, &insn);
        CHECK_EQUAL(insn.skips, 4);
        CHECK_EQUAL(qpmu_insn_adds(&insn, QPMU_BRANCHES), 1);
        CHECK_EQUAL(qpmu_insn_adds(&insn, QPMU_BRANCHES_ALL), 1);
        CHECK_EQUAL(qpmu_insn_adds_faulted(&insn, QPMU_BRANCHES_DECODED), 1);
    }
    for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        qpmu_decode_mips(others[i], 0, &insn);
        CHECK_EQUAL(insn.skips, 0);
    }
}

/* What graduation and a fault add. */
TEST(qpmu_mips_adds)
{
    struct qpmu_insn insn;

    qpmu_decode_mips(0xe0620000, 0, &insn); /* sc */
    CHECK_EQUAL(qpmu_insn_adds(&insn, QPMU_INSTRUCTIONS), 1);
    CHECK_EQUAL(qpmu_insn_adds(&insn, QPMU_STORES), 1);
    CHECK_EQUAL(qpmu_insn_adds(&insn, QPMU_STORES_ISSUED), 1);
    CHECK_EQUAL(qpmu_insn_adds(&insn, QPMU_SC), 1);
    CHECK_EQUAL(qpmu_insn_adds(&insn, QPMU_SC_FAILED), 0);
    CHECK_EQUAL(qpmu_insn_adds(&insn, QPMU_ISSUED), 1);
    CHECK_EQUAL(qpmu_insn_adds(&insn, QPMU_FU_CYCLES), 0);
    CHECK_EQUAL(qpmu_insn_adds_faulted(&insn, QPMU_INSTRUCTIONS), 0);
    CHECK_EQUAL(qpmu_insn_adds_faulted(&insn, QPMU_STORES), 0);
    CHECK_EQUAL(qpmu_insn_adds_faulted(&insn, QPMU_STORES_ISSUED), 1);
    CHECK_EQUAL(qpmu_insn_adds_faulted(&insn, QPMU_SC_ISSUED), 1);
    qpmu_decode_mips(0x0043001e, 0, &insn); /* ddiv */
    CHECK_EQUAL(qpmu_insn_adds(&insn, QPMU_CYCLES), MIPS_CYCLES_DDIV);
    CHECK_EQUAL(qpmu_insn_adds(&insn, QPMU_STALLS), MIPS_CYCLES_DDIV - 1);
    CHECK_EQUAL(qpmu_insn_adds_faulted(&insn, QPMU_STALLS), MIPS_CYCLES_DDIV);
    CHECK_EQUAL(qpmu_insn_adds(&insn, QPMU_INSTRUCTIONS), 1); /* the chip: 2, see QPMU.md */
    CHECK_EQUAL(qpmu_insn_adds(&insn, QPMU_FU_CYCLES), 1);
    qpmu_decode_mips(0, 0, &insn); /* nop */
    CHECK_EQUAL(qpmu_insn_adds(&insn, QPMU_ISSUED), 0);
    CHECK_EQUAL(qpmu_insn_adds(&insn, QPMU_INSTRUCTIONS), 1);
    qpmu_decode_mips(0x10400001, 0, &insn);
    CHECK_EQUAL(qpmu_insn_adds(&insn, QPMU_BRANCHES), 1);
    CHECK_EQUAL(qpmu_insn_adds(&insn, QPMU_BRANCHES_ALL), 1);
    CHECK_EQUAL(qpmu_insn_adds_faulted(&insn, QPMU_BRANCHES), 0);
    CHECK_EQUAL(qpmu_insn_adds_faulted(&insn, QPMU_BRANCHES_DECODED), 1);
}

/* The words above are what the assembler makes of the texts, where it is installed. */
TEST(qpmu_mips_assembler)
{
    char command[256];
    char folder[] = P_tmpdir "/qpmu-mips-XXXXXX";
    FILE *pipe;

    if (system("command -v mips64-linux-gnuabi64-as >/dev/null") != 0)
        return;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(command, sizeof(command),
             "mips64-linux-gnuabi64-as -mabi=64 -march=mips64r2 -o %s/o -", folder);
    pipe = popen(command, "w");
    fputs(".set noreorder\n.set noat\n.set nomacro\n", pipe);
    for (unsigned i = 0; i < COUNT; i++)
        fprintf(pipe, "%s\n", list[i].text);
    CHECK_EQUAL((uint64_t)pclose(pipe), 0);
    snprintf(command, sizeof(command),
             "mips64-linux-gnuabi64-objcopy -O binary -j .text %s/o /dev/stdout; rm -r %s", folder,
             folder);
    pipe = popen(command, "r");
    for (unsigned i = 0; i < COUNT; i++) {
        uint32_t word = 0;

        for (unsigned byte = 0; byte < 4; byte++)
            word = word << 8 | (uint32_t)(fgetc(pipe) & 0xff);
        CHECK_EQUAL(word, list[i].word);
    }
    pclose(pipe);
}
