/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The x86 decoder against a list written by hand, and against what objdump says of this very
 * program.
 */
#include "tests/host/qpmu_objdump.h"
#include "tests/host/test.h"
#include "tools/qpmu/decode_x86.h"
#include "tools/qpmu/insn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define F     QPMU_INSN_MAY_FAULT
#define LD    (QPMU_INSN_LOAD | F)
#define ST    (QPMU_INSN_STORE | F)
#define RMW   (LD | ST)
#define BR    (QPMU_INSN_COND_BRANCH | QPMU_INSN_TARGET)
#define JP    QPMU_INSN_JUMP
#define JT    (QPMU_INSN_JUMP | QPMU_INSN_TARGET)
#define PRIV  QPMU_INSN_PRIVILEGED
#define REP   QPMU_INSN_REP
#define WRONG (F | QPMU_INSN_UNKNOWN)
#define SP    QPMU_INSN_LINK
#define NEVER (F | QPMU_INSN_NEVER_GRADUATES)

static const struct {
    const char *text;
    const char *bytes;
    size_t length;
    uint32_t flags;
    unsigned cycles;
} list[] = {
#define I(text, bytes, flags, cycles) {text, bytes, sizeof(bytes) - 1, flags, cycles}
    I("nop", "\x90", 0, 1),
    I("pause", "\xf3\x90", 0, 1),
    I("endbr64", "\xf3\x0f\x1e\xfa", 0, 1),
    I("nopl 0x5150(%rax)", "\x0f\x1f\x80\x50\x51\x00\x00", QPMU_INSN_HYPERCALL, 1),
    I("nopl 0x5151(%rax)", "\x0f\x1f\x80\x51\x51\x00\x00", 0, 1),
    I("mov %rax,%rbx", "\x48\x89\xc3", 0, 1),
    I("mov %rax,(%rbx)", "\x48\x89\x03", ST, 1),
    I("mov (%rbx),%rax", "\x48\x8b\x03", LD, 1),
    I("mov %gs:0x10,%rax", "\x65\x48\x8b\x04\x25\x10\x00\x00\x00", LD, 1),
    I("movabs 0x10,%al", "\xa0\x10\x00\x00\x00\x00\x00\x00\x00", LD, 1),
    I("movl $0,(%rax)", "\xc7\x00\x00\x00\x00\x00", ST, 1),
    I("lea 8(%rax),%rax", "\x48\x8d\x40\x08", 0, 1),
    I("add %eax,(%rbx)", "\x01\x03", RMW, 1),
    I("lock incq (%rax)", "\xf0\x48\xff\x00", RMW, 1),
    I("incq %gs:0x10", "\x65\x48\xff\x04\x25\x10\x00\x00\x00", RMW, 1),
    I("cmp %eax,(%rbx)", "\x39\x03", LD, 1),
    I("cmpl $1,(%rbx)", "\x83\x3b\x01", LD, 1),
    I("addl $1,(%rbx)", "\x83\x03\x01", RMW, 1),
    I("test %eax,(%rbx)", "\x85\x03", LD, 1),
    I("testb $1,(%rbx)", "\xf6\x03\x01", LD, 1),
    I("notl (%rbx)", "\xf7\x13", RMW, 1),
    I("xchg %eax,(%rbx)", "\x87\x03", RMW, 1),
    I("mul %rbx", "\x48\xf7\xe3", 0, X86_CYCLES_MUL),
    I("imul %rbx,%rax", "\x48\x0f\xaf\xc3", 0, X86_CYCLES_MUL),
    I("imul $3,%rax,%rax", "\x48\x6b\xc0\x03", 0, X86_CYCLES_MUL),
    I("div %ebx", "\xf7\xf3", F, X86_CYCLES_DIV),
    I("div %rbx", "\x48\xf7\xf3", F, X86_CYCLES_DIV64),
    I("idivl (%rbx)", "\xf7\x3b", LD, X86_CYCLES_DIV),
    I("push %rax", "\x50", ST, 1),
    I("pop %r8", "\x41\x58", LD, 1),
    I("pushq (%rax)", "\xff\x30", RMW, 1),
    I("pushfq", "\x9c", ST, 1),
    I("popfq", "\x9d", LD, 1),
    I("leave", "\xc9", LD, 1),
    I("jne .", "\x75\xfe", BR, 1),
    I("jne rel32", "\x0f\x85\x00\x00\x00\x00", BR, 1),
    I("loop .", "\xe2\xfe", BR, 1),
    I("jrcxz .", "\xe3\xfe", BR, 1),
    I("jmp .", "\xeb\xfe", JT, 1),
    I("jmp rel32", "\xe9\x00\x00\x00\x00", JT, 1),
    I("jmp *%rax", "\xff\xe0", JP, 1),
    I("notrack jmp *%rax", "\x3e\xff\xe0", JP, 1),
    I("jmp *(%rax)", "\xff\x20", JP | LD, 1),
    I("call rel32", "\xe8\x00\x00\x00\x00", JT | ST, 1),
    I("call rel32", "\xe8\x05\x00\x00\x00", JT | ST | QPMU_INSN_CALL, 1),
    I("call *%rax", "\xff\xd0", JP | ST | QPMU_INSN_CALL, 1),
    I("call *(%rax)", "\xff\x10", JP | RMW | QPMU_INSN_CALL, 1),
    I("ret", "\xc3", JP | LD | QPMU_INSN_RETURN, 1),
    I("rep ret", "\xf3\xc3", JP | LD | QPMU_INSN_RETURN, 1),
    I("iretq", "\x48\xcf", JP | LD, 1),
    I("syscall", "\x0f\x05", JP, 1),
    I("sysretq", "\x48\x0f\x07", JP | PRIV, 1),
    I("int $0x80", "\xcd\x80", JP, 1),
    I("int3", "\xcc", JP, 1),
    I("ud2", "\x0f\x0b", NEVER, 1),
    I("hlt", "\xf4", QPMU_INSN_HALT | PRIV, 1),
    I("mwait", "\x0f\x01\xc9", QPMU_INSN_HALT | PRIV | F, 1),
    I("cli", "\xfa", PRIV, 1),
    I("wrmsr", "\x0f\x30", QPMU_INSN_WRMSR | PRIV, 1),
    I("rdmsr", "\x0f\x32", QPMU_INSN_RDMSR | PRIV, 1),
    I("rdpmc", "\x0f\x33", QPMU_INSN_RDPMC | F, 1),
    I("rdtsc", "\x0f\x31", PRIV, 1),
    I("cpuid", "\x0f\xa2", QPMU_INSN_CPUID, 1),
    I("mov %cr3,%rax", "\x0f\x20\xd8", PRIV, 1),
    I("invlpg (%rax)", "\x0f\x01\x38", PRIV, 1),
    I("swapgs", "\x0f\x01\xf8", PRIV, 1),
    I("lgdt (%rax)", "\x0f\x01\x10", PRIV | LD, 1),
    I("in (%dx),%al", "\xec", PRIV, 1),
    I("out %al,$0x80", "\xe6\x80", PRIV, 1),
    I("movsb", "\xa4", RMW, 1),
    I("rep movsq", "\xf3\x48\xa5", RMW | REP, 1),
    I("rep stosb", "\xf3\xaa", ST | REP, 1),
    I("repne scasb", "\xf2\xae", LD | REP, 1),
    I("repe cmpsb", "\xf3\xa6", LD | REP, 1),
    I("rep insb", "\xf3\x6c", ST | REP | PRIV, 1),
    I("rep outsw", "\x66\xf3\x6f", LD | REP | PRIV, 1),
    I("sete (%rax)", "\x0f\x94\x00", ST, 1),
    I("cmove (%rax),%eax", "\x0f\x44\x00", LD, 1),
    I("movzbl (%rax),%eax", "\x0f\xb6\x00", LD, 1),
    I("popcnt %eax,%eax", "\xf3\x0f\xb8\xc0", 0, 1),
    I("lock cmpxchg %ecx,(%rax)", "\xf0\x0f\xb1\x08", RMW, 1),
    I("cmpxchg16b (%rax)", "\x48\x0f\xc7\x08", RMW, 1),
    I("bt $1,(%rax)", "\x0f\xba\x20\x01", LD, 1),
    I("bts $1,(%rax)", "\x0f\xba\x28\x01", RMW, 1),
    I("movbe %eax,(%rax)", "\x0f\x38\xf1\x00", ST, 1),
    I("crc32l (%rax),%eax", "\xf2\x0f\x38\xf1\x00", LD, 1),
    I("mfence", "\x0f\xae\xf0", F, 1),
    I("fxsave (%rax)", "\x0f\xae\x00", ST, 1),
    I("fxrstor (%rax)", "\x0f\xae\x08", LD, 1),
    I("movaps %xmm0,(%rax)", "\x0f\x29\x00", ST, 1),
    I("movq (%rax),%xmm0", "\xf3\x0f\x7e\x00", LD, 1),
    I("movq %xmm0,(%rax)", "\x66\x0f\xd6\x00", ST, 1),
    I("divsd %xmm1,%xmm0", "\xf2\x0f\x5e\xc1", F, X86_CYCLES_FP_DIV),
    I("sqrtsd (%rax),%xmm0", "\xf2\x0f\x51\x00", LD, X86_CYCLES_FP_DIV),
    I("vmovdqu (%rax),%ymm0", "\xc5\xfe\x6f\x00", LD, 1),
    I("vmovdqu %ymm0,(%rax)", "\xc5\xfe\x7f\x00", ST, 1),
    I("vextracti128 $1,%ymm0,(%rax)", "\xc4\xe3\x7d\x39\x00\x01", ST, 1),
    I("vpbroadcastd (%rax),%ymm0", "\xc4\xe2\x7d\x58\x00", LD, 1),
    I("fldl (%rax)", "\xdd\x00", LD, 1),
    I("fstpl (%rax)", "\xdd\x18", ST, 1),
    I("fdivl (%rax)", "\xdc\x30", LD, X86_CYCLES_X87),
    I("fsqrt", "\xd9\xfa", F, X86_CYCLES_X87),
    I("mov (%rdi),%rsp", "\x48\x8b\x27", LD | SP, 1),
    I("mov 48(%rdi),%rsp", "\x48\x8b\x67\x30", LD | SP, 1),
    I("mov (%rdi),%r12", "\x4c\x8b\x27", LD, 1),
    I("mov %rbp,%rsp", "\x48\x8b\xe5", 0, 1),
    I("mov %r13,%rsp, by 8b", "\x49\x8b\xe5", SP, 1),
    I("mov %r8,%rsp", "\x4c\x89\xc4", SP, 1),
    I("mov %rbp,%rsp, by 89", "\x48\x89\xec", 0, 1),
    I("mov %r13,%rsp", "\x4c\x89\xec", SP, 1),
    I("mov %rsp,%rbp", "\x48\x89\xe5", 0, 1),
    I("mov %r8,%r12", "\x4d\x89\xc4", 0, 1),
    I("mov %rsp,(%rdi)", "\x48\x89\x27", ST, 1),
    I("mov %rax,(%rsp)", "\x48\x89\x04\x24", ST, 1),
    I("lea -40(%rbp),%rsp", "\x48\x8d\x65\xd8", 0, 1),
    I("lea -40(%r13),%rsp", "\x49\x8d\x65\xd8", SP, 1),
    I("lea 8(%rsp),%rsp", "\x48\x8d\x64\x24\x08", 0, 1),
    I("lea 8(%r12),%rsp", "\x49\x8d\x64\x24\x08", SP, 1),
    I("lea (%rsp,%rax,8),%rsp", "\x48\x8d\x24\xc4", 0, 1),
    I("lea 0x1000(,%rax,8),%rsp", "\x48\x8d\x24\xc5\x00\x10\x00\x00", SP, 1),
    I("lea 0x1000(%rip),%rsp", "\x48\x8d\x25\x00\x10\x00\x00", SP, 1),
    I("lea 8(%rcx),%rsp", "\x48\x8d\x61\x08", SP, 1),
    I("lea 8(%rsp),%rcx", "\x48\x8d\x4c\x24\x08", 0, 1),
    I("pop %rsp", "\x5c", LD | SP, 1),
    I("pop %r12", "\x41\x5c", LD, 1),
    I("pop %rsp, by 8f", "\x8f\xc4", LD | SP, 1),
    I("xchg %rax,%rsp", "\x48\x94", SP, 1),
    I("xchg %rax,%r12", "\x49\x94", 0, 1),
    I("xchg %rcx,%rsp", "\x48\x87\xcc", SP, 1),
    I("xchg %rsp,(%rcx)", "\x48\x87\x21", RMW | SP, 1),
    I("mov $0x1000,%esp", "\xbc\x00\x10\x00\x00", SP, 1),
    I("mov $0x1000,%rsp", "\x48\xc7\xc4\x00\x10\x00\x00", SP, 1),
    I("mov $0x1000,%r12", "\x49\xc7\xc4\x00\x10\x00\x00", 0, 1),
    I("cmove %rax,%rsp", "\x48\x0f\x44\xe0", SP, 1),
    I("cmove %rsp,%rax", "\x48\x0f\x44\xc4", 0, 1),
    I("add $8,%rsp", "\x48\x83\xc4\x08", 0, 1),
    I("sub %rax,%rsp", "\x48\x29\xc4", 0, 1),
    I("and $-16,%rsp", "\x48\x83\xe4\xf0", 0, 1),
    I("push es, not in 64-bit mode", "\x06", WRONG, 1),
    I("inc %eax, not in 64-bit mode: no REX stands alone", "\x40", 0, 1),
    I("EVEX", "\x62\xf1\x7c\x48\x28\xc0", WRONG, 1),
#undef I
};

TEST(qpmu_x86_classes)
{
    for (unsigned i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        struct qpmu_insn insn;
        bool right;

        qpmu_decode_x86((const uint8_t *)list[i].bytes, list[i].length, QPMU_CODE_64, 0, &insn);
        right = insn.flags == list[i].flags && insn.cycles == list[i].cycles &&
                insn.length == list[i].length;
        if (!right)
            fprintf(stderr, "%s: %#x, %u cycles; expected %#x, %u\n", list[i].text, insn.flags,
                    insn.cycles, list[i].flags, list[i].cycles);
        CHECK(right);
    }
}

TEST(qpmu_x86_targets)
{
    struct qpmu_insn insn;

    qpmu_decode_x86((const uint8_t *)"\x75\xf0", 2, QPMU_CODE_64, 0x1000, &insn);
    CHECK_EQUAL(insn.target, 0xff2);
    qpmu_decode_x86((const uint8_t *)"\x0f\x85\x00\x01\x00\x00", 6, QPMU_CODE_64,
                    0xffffffff80000000, &insn);
    CHECK_EQUAL(insn.target, 0xffffffff80000106);
    qpmu_decode_x86((const uint8_t *)"\xe8\xfb\xff\xff\xff", 5, QPMU_CODE_64, 0x1000, &insn);
    CHECK_EQUAL(insn.target, 0x1000);
    qpmu_decode_x86((const uint8_t *)"\x66\xe9\x00\x00", 4, QPMU_CODE_64, 0x1000,
                    &insn); /* differs by maker */
    CHECK_EQUAL(insn.flags, JP);
    CHECK_EQUAL(qpmu_insn_adds(&insn, QPMU_BRANCHES_ALL), 1);
    CHECK_EQUAL(qpmu_insn_adds(&insn, QPMU_BRANCHES), 0);
}

/* No form of no length reads outside its bytes; the sanitizer looks on. */
TEST(qpmu_x86_cut)
{
    for (unsigned first = 0; first < 256; first++) {
        for (size_t length = 0; length <= 3; length++) {
            uint8_t *bytes = malloc(length == 0 ? 1 : length);
            struct qpmu_insn insn;

            memset(bytes, 0x0f, length == 0 ? 1 : length);
            bytes[0] = (uint8_t)first;
            for (unsigned mode = QPMU_CODE_64; mode <= QPMU_CODE_UNKNOWN; mode++) {
                qpmu_decode_x86(bytes, length, (enum qpmu_code)mode, 0, &insn);
                CHECK_EQUAL(insn.length, length);
            }
            free(bytes);
        }
    }
}

TEST(qpmu_x86_objdump)
{
    char line[512];
    unsigned lines = 0;
    FILE *pipe;

    if (system("command -v objdump >/dev/null") != 0)
        return;
    pipe = popen("objdump -d -w -j .text ${QPMU_OBJDUMP_FILE:-/proc/$PPID/exe}", "r");
    while (fgets(line, sizeof(line), pipe) != NULL)
        lines += objdump_compare(line, QPMU_CODE_64);
    pclose(pipe);
    CHECK(lines > 1000);
}
