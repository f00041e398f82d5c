/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The x86 decoder on 32- and 16-bit code: against a list written by hand, and the list, its lengths
 * and its targets against objdump; then against objdump on compiled code.
 */
#include "tests/host/qpmu_objdump.h"
#include "tests/host/test.h"
#include "tools/qpmu/decode_x86.h"
#include "tools/qpmu/insn.h"

#include <unistd.h>

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

#define BASE 0x7c00u /* where the first of the list stands */

/* The texts are objdump's, blanks put together; "" where it knows none. */
static const struct entry {
    const char *text32, *text16, *bytes;
    size_t length;
    uint32_t flags;
    unsigned loads, stores, cycles;
} list[] = {
#define I(text32, text16, bytes, flags, loads, stores, cycles)                                     \
    {text32, text16, bytes, sizeof(bytes) - 1, flags, loads, stores, cycles}
    I("push %es", "push %es", "\x06", ST, 0, 1, 1),
    I("push %cs", "push %cs", "\x0e", ST, 0, 1, 1),
    I("push %ss", "push %ss", "\x16", ST, 0, 1, 1),
    I("push %ds", "push %ds", "\x1e", ST, 0, 1, 1),
    I("pop %es", "pop %es", "\x07", LD, 1, 0, 1),
    I("pop %ss", "pop %ss", "\x17", LD, 1, 0, 1),
    I("pop %ds", "pop %ds", "\x1f", LD, 1, 0, 1),
    I("push %fs", "push %fs", "\x0f\xa0", ST, 0, 1, 1),
    I("daa", "daa", "\x27", 0, 0, 0, 1),
    I("das", "das", "\x2f", 0, 0, 0, 1),
    I("aaa", "aaa", "\x37", 0, 0, 0, 1),
    I("aas", "aas", "\x3f", 0, 0, 0, 1),
    I("inc %eax", "inc %ax", "\x40", 0, 0, 0, 1),
    I("inc %edi", "inc %di", "\x47", 0, 0, 0, 1),
    I("dec %eax", "dec %ax", "\x48", 0, 0, 0, 1),
    I("dec %edi", "dec %di", "\x4f", 0, 0, 0, 1),
    I("inc %bx", "inc %ebx", "\x66\x43", 0, 0, 0, 1),
    I("pusha", "pusha", "\x60", ST, 0, 8, 1),
    I("popa", "popa", "\x61", LD, 7, 0, 1),
    I("bound %eax,(%edi)", "bound %ax,(%bx)", "\x62\x07", LD, 2, 0, 1),
    I("arpl %ax,(%edi)", "arpl %ax,(%bx)", "\x63\x07", RMW, 1, 1, 1),
    I("arpl %ax,%cx", "arpl %ax,%cx", "\x63\xc1", 0, 0, 0, 1),
    I("addb $0x1,(%edi)", "addb $0x1,(%bx)", "\x82\x07\x01", RMW, 1, 1, 1),
    I("cmpb $0x1,(%edi)", "cmpb $0x1,(%bx)", "\x82\x3f\x01", LD, 1, 0, 1),
    I("les (%edi),%eax", "les (%bx),%ax", "\xc4\x07", LD, 2, 0, 1),
    I("lds (%edi),%eax", "lds (%bx),%ax", "\xc5\x07", LD, 2, 0, 1),
    I("vzeroall", "vzeroall", "\xc5\xfc\x77", F, 0, 0, 1),
    I("vmovdqu (%eax),%ymm0", "vmovdqu (%bx,%si),%ymm0", "\xc5\xfe\x6f\x00", LD, 1, 0, 1),
    I("into", "into", "\xce", F, 0, 0, 1),
    I("aam $0xa", "aam $0xa", "\xd4\x0a", F, 0, 0, X86_CYCLES_DIV),
    I("aad $0xa", "aad $0xa", "\xd5\x0a", 0, 0, 0, 1),
    I("iret", "iret", "\xcf", JP | LD, 3, 0, 1),
    I("lret", "lret", "\xcb", JP | LD, 2, 0, 1),
    I("int $0x10", "int $0x10", "\xcd\x10", JP, 0, 0, 1),
    I("lcall *(%edi)", "lcall *(%bx)", "\xff\x1f", JP | RMW, 2, 2, 1),
    I("ljmp *(%edi)", "ljmp *(%bx)", "\xff\x2f", JP | LD, 2, 0, 1),
    I("jmp *%eax", "jmp *%ax", "\xff\xe0", JP, 0, 0, 1),
    I("push %eax", "push %ax", "\x50", ST, 0, 1, 1),
    I("mov %eax,(%ebx)", "mov %ax,(%bp,%di)", "\x89\x03", ST, 0, 1, 1),
    I("div %ebx", "div %bx", "\xf7\xf3", F, 0, 0, X86_CYCLES_DIV),
    I("rep movsl %ds:(%esi),%es:(%edi)", "rep movsw %ds:(%si),%es:(%di)", "\xf3\xa5", RMW | REP, 1,
      1, 1),
    I("sysenter", "sysenter", "\x0f\x34", JP, 0, 0, 1),
    I("cli", "cli", "\xfa", PRIV, 0, 0, 1),
    I("in (%dx),%al", "in (%dx),%al", "\xec", PRIV, 0, 0, 1),
    I("jne", "jne", "\x75\xf0", BR, 0, 0, 1),
    I("loop", "loop", "\xe2\xfe", BR, 0, 0, 1),
    I("jecxz", "jcxz", "\xe3\x10", BR, 0, 0, 1),
    I("jmp", "jmp", "\xeb\x20", JT, 0, 0, 1),
#undef I
};

/* Of other lengths in the two. */
static const struct entry list32[] = {
#define I(text, bytes, flags, loads, stores, cycles)                                               \
    {text, "", bytes, sizeof(bytes) - 1, flags, loads, stores, cycles}
    I("call", "\xe8\xfb\xff\xff\xff", JT | ST | QPMU_INSN_CALL, 0, 1, 1),
    I("jmp", "\xe9\x00\x01\x00\x00", JT, 0, 0, 1),
    I("jne", "\x0f\x85\x00\x01\x00\x00", BR, 0, 0, 1),
    I("jmpw", "\x66\xe9\x00\x01", JT, 0, 0, 1),
    I("callw", "\x66\xe8\x00\x81", JT | ST | QPMU_INSN_CALL, 0, 1, 1), /* to the lowest 64 KiB */
    I("lcall $0x10,$0x1000", "\x9a\x00\x10\x00\x00\x10\x00", JP | ST, 0, 2, 1),
    I("ljmp $0x10,$0x1000", "\xea\x00\x10\x00\x00\x10\x00", JP | F, 0, 0, 1),
    I("mov 0x1234,%eax", "\xa1\x34\x12\x00\x00", LD, 1, 0, 1),
    I("mov %al,0x1234", "\xa2\x34\x12\x00\x00", ST, 0, 1, 1),
    I("addr16 mov 0x1234,%al", "\x67\xa0\x34\x12", LD, 1, 0, 1),
    I("nopl 0x5150(%eax)", "\x0f\x1f\x80\x50\x51\x00\x00", QPMU_INSN_HYPERCALL, 0, 0, 1),
};
static const struct entry list16[] = {
#undef I
#define I(text, bytes, flags, loads, stores, cycles)                                               \
    {"", text, bytes, sizeof(bytes) - 1, flags, loads, stores, cycles}
    I("call", "\xe8\xfb\xff", JT | ST | QPMU_INSN_CALL, 0, 1, 1),
    I("jmp", "\xe9\x00\x01", JT, 0, 0, 1),
    I("jne", "\x0f\x85\x00\x01", BR, 0, 0, 1),
    I("jmpl", "\x66\xe9\x00\x01\x00\x00", JT, 0, 0, 1),
    I("jne", "\x66\x0f\x85\x00\x01\x00\x00", BR, 0, 0, 1),
    I("lcall $0x10,$0x1000", "\x9a\x00\x10\x10\x00", JP | ST, 0, 2, 1),
    I("ljmp $0xf000,$0xe05b", "\xea\x5b\xe0\x00\xf0", JP | F, 0, 0, 1),
    I("mov 0x1234,%ax", "\xa1\x34\x12", LD, 1, 0, 1),
    I("addr32 mov %al,0x12345678", "\x67\xa2\x78\x56\x34\x12", ST, 0, 1, 1),
    I("lgdtl (%si)", "\x66\x0f\x01\x14", PRIV | LD, 1, 0, 1),
#undef I
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void check(const struct entry *entry, enum qpmu_code mode, uint64_t pc)
{
    const char *text = mode == QPMU_CODE_32 ? entry->text32 : entry->text16;
    struct qpmu_insn insn;
    bool right;

    qpmu_decode_x86((const uint8_t *)entry->bytes, entry->length, mode, pc, &insn);
    right = insn.flags == entry->flags && insn.loads == entry->loads &&
            insn.stores == entry->stores && insn.cycles == entry->cycles &&
            insn.length == entry->length;
    if (!right)
        fprintf(stderr, "%s: %#x, %u loads, %u stores, %u cycles; expected %#x, %u, %u, %u\n", text,
                insn.flags, insn.loads, insn.stores, insn.cycles, entry->flags, entry->loads,
                entry->stores, entry->cycles);
    CHECK(right);
}

TEST(qpmu_x86_legacy_classes)
{
    for (unsigned i = 0; i < COUNT(list); i++) {
        check(&list[i], QPMU_CODE_32, BASE);
        check(&list[i], QPMU_CODE_16, BASE);
    }
    for (unsigned i = 0; i < COUNT(list32); i++)
        check(&list32[i], QPMU_CODE_32, BASE);
    for (unsigned i = 0; i < COUNT(list16); i++)
        check(&list16[i], QPMU_CODE_16, BASE);
}

static uint64_t target(const char *bytes, size_t length, enum qpmu_code mode, uint64_t pc)
{
    struct qpmu_insn insn;

    qpmu_decode_x86((const uint8_t *)bytes, length, mode, pc, &insn);
    CHECK((insn.flags & QPMU_INSN_TARGET) != 0);
    return insn.target;
}

TEST(qpmu_x86_legacy_targets)
{
    CHECK_EQUAL(target("\x66\xe9\x00\x01", 4, QPMU_CODE_32, 0xc0ff00), 0x0004);
    CHECK_EQUAL(target("\x66\x75\xf0", 3, QPMU_CODE_32, 0x12345), 0x2338);
    CHECK_EQUAL(target("\xe9\x00\x00\x00\x10", 5, QPMU_CODE_32, 0xf0000000), 5);
    CHECK_EQUAL(target("\x75\xf0", 2, QPMU_CODE_32, 4), 0xfffffff6);
    CHECK_EQUAL(target("\xe8\xf0\xff", 3, QPMU_CODE_16, 0xfe05b), 0xfe04e); /* at f000:e05b */
    CHECK_EQUAL(target("\x66\xe9\xf0\xff\xff\xff", 6, QPMU_CODE_16, 0x7c00), 0x7bf6);
    CHECK_EQUAL(target("\x75\xf0", 2, QPMU_CODE_64, 4), 0xfffffffffffffff6);
}

/* What is one thing in 64-bit code and another elsewhere. */
TEST(qpmu_x86_modes_differ)
{
    struct qpmu_insn insn;

    qpmu_decode_x86((const uint8_t *)"\x48\x8b\x03", 3, QPMU_CODE_64, 0, &insn);
    CHECK_EQUAL(insn.flags, LD);
    qpmu_decode_x86((const uint8_t *)"\x48", 1, QPMU_CODE_32, 0, &insn);
    CHECK_EQUAL(insn.flags, 0);
    qpmu_decode_x86((const uint8_t *)"\x63\xc1", 2, QPMU_CODE_64, 0, &insn); /* movsxd */
    CHECK_EQUAL(insn.flags, 0);
    qpmu_decode_x86((const uint8_t *)"\x63\x07", 2, QPMU_CODE_64, 0, &insn);
    CHECK_EQUAL(insn.flags, LD);
    qpmu_decode_x86((const uint8_t *)"\x60", 1, QPMU_CODE_64, 0, &insn);
    CHECK_EQUAL(insn.flags, WRONG);
    qpmu_decode_x86((const uint8_t *)"\x48\xcf", 2, QPMU_CODE_64, 0, &insn);
    CHECK_EQUAL(insn.loads, 5);
}

static struct qpmu_insn unknown(const char *bytes, size_t length)
{
    struct qpmu_insn insn;

    qpmu_decode_x86((const uint8_t *)bytes, length, QPMU_CODE_UNKNOWN, 0x7c00, &insn);
    return insn;
}

/* Where nobody says what code it is, the length does, for what transfers control: in 64-bit code
 * far jumps and aam are undefined and end with their opcode, and no offset has two bytes. */
TEST(qpmu_x86_lengths_tell)
{
    static const char far32[] = "\x9a\x00\x10\x00\x00\x10\x00", far16[] = "\xea\x5b\xe0\x00\xf0";

    CHECK_EQUAL(unknown(far32, 7).flags, JP | ST);
    CHECK_EQUAL(unknown("\x66\xea\x5b\xe0\x00\x00\x00\xf0", 8).flags, JP | F);
    CHECK_EQUAL(unknown(far16, 5).flags, JP | F);
    CHECK_EQUAL(unknown(far32, 1).flags, WRONG);
    CHECK_EQUAL(unknown("\x66\xea", 2).flags, WRONG);
    CHECK_EQUAL(unknown("\xd4\x0a", 2).cycles, X86_CYCLES_DIV);
    CHECK_EQUAL(unknown("\xd4", 1).cycles, 1);
    CHECK_EQUAL(unknown("\xe8\xfb\xff", 3).flags, JT | ST | QPMU_INSN_CALL);
    CHECK_EQUAL(unknown("\xe8\xfb\xff", 3).target, 0x7bfe);
    CHECK_EQUAL(unknown("\x0f\x85\x00\x01", 4).target, 0x7d04);
    CHECK_EQUAL(unknown("\x0f\x85\x00\x01\x00\x00", 6).target, 0x7d06);
    /* The rest is as in 64-bit code. */
    CHECK_EQUAL(unknown("\x66\xe9\x00\x01", 4).flags, JP);
    CHECK_EQUAL(unknown("\x48\x8b\x03", 3).flags, LD);
    CHECK_EQUAL(unknown("\x63\x07", 2).flags, LD);
}

/* Whether TEXT, as in the list, is what objdump's LINE says, operands that are targets aside. That
 * of binutils 2.44 names the registers of arpl, which are of 16 bits, as those of 32. */
static bool says(const char *line, const char *text)
{
    const char *at = strrchr(line, '\t');
    bool arpl = strncmp(text, "arpl", 4) == 0;

    for (at += at != NULL; at != NULL && *text != '\0'; text++) {
        if (arpl && *text != 'e' && *at == 'e' && at[-1] == '%')
            at++;
        if (*at != *text)
            return false;
        for (at++; *text == ' ' && *at == ' ';)
            at++;
    }
    return true;
}

static void compare_list(FILE *out, const struct entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fwrite(entries[i].bytes, 1, entries[i].length, out);
}

/* The next line of objdump's that is about an instruction: it is ENTRY at PC. */
static void expect(FILE *pipe, const struct entry *entry, enum qpmu_code mode, uint64_t pc)
{
    const char *text = mode == QPMU_CODE_32 ? entry->text32 : entry->text16;
    char line[512], copy[512];

    do {
        if (fgets(line, sizeof(line), pipe) == NULL) {
            CHECK(false);
            return;
        }
    } while (strstr(line, ":\t") == NULL);
    snprintf(copy, sizeof(copy), "%s", line);
    if (strtoull(line, NULL, 16) != pc || !says(line, text))
        fprintf(stderr, "%s at %#lx: %s", text, (unsigned long)pc, line);
    CHECK_EQUAL(strtoull(line, NULL, 16), pc);
    CHECK(says(line, text));
    CHECK(objdump_compare(copy, mode));
}

static void compare_mode(enum qpmu_code mode, const struct entry *own, size_t count)
{
    char name[] = P_tmpdir "/qpmu-x86-XXXXXX", command[256];
    FILE *file = fdopen(mkstemp(name), "wb"), *pipe;
    uint64_t pc = BASE;

    compare_list(file, list, COUNT(list));
    compare_list(file, own, count);
    fclose(file);
    snprintf(command, sizeof(command), "objdump -D -w -b binary -m %s --adjust-vma=%u %s",
             mode == QPMU_CODE_32 ? "i386" : "i8086", BASE, name);
    pipe = popen(command, "r");
    for (size_t i = 0; i < COUNT(list) + count; i++) {
        const struct entry *entry = i < COUNT(list) ? &list[i] : &own[i - COUNT(list)];

        expect(pipe, entry, mode, pc);
        pc += entry->length;
    }
    pclose(pipe);
    unlink(name);
}

TEST(qpmu_x86_legacy_objdump)
{
    if (system("command -v objdump >/dev/null") != 0)
        return;
    compare_mode(QPMU_CODE_32, list32, COUNT(list32));
    compare_mode(QPMU_CODE_16, list16, COUNT(list16));
}

/* What a compiler makes of a guest's work, in each mode. */
TEST(qpmu_x86_legacy_compiled)
{
    static const char *const switches[] = {"-m64", "-m32", "-m16"};
    static const char *const machines[] = {"i386:x86-64", "i386", "i8086"};
    char command[512], line[512];

    if (system("command -v objdump >/dev/null && command -v gcc >/dev/null") != 0)
        return;
    for (unsigned mode = QPMU_CODE_64; mode <= QPMU_CODE_16; mode++) {
        unsigned lines = 0;
        FILE *pipe;

        snprintf(
            command, sizeof(command),
            "t=$(mktemp) && printf '#include \"tests/qemu/qpmu/work.h\"\\nunsigned f(unsigned n) "
            "{ return work(n); }\\n' | gcc %s -O2 -ffreestanding -fno-pic -I. -x c -c -o $t - && "
            "objdump -d -w -m %s $t; rm -f $t",
            switches[mode], machines[mode]);
        pipe = popen(command, "r");
        while (fgets(line, sizeof(line), pipe) != NULL)
            lines += objdump_compare(line, (enum qpmu_code)mode);
        pclose(pipe);
        CHECK(lines > 100);
    }
}
