/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Repeated string instructions that a timer interrupts wherever it happens to: each counts once.
 * How often the timer comes is up to the host; 6 instructions each time.
 */
#include "tests/qemu/qpmu/pc.h"

__asm__(".text\n tick: pushq %rax\n movb $0x20, %al\n outb %al, $0x20\n incl ticks(%rip)\n"
        "   popq %rax\n iretq\n");
extern const char tick[];
volatile uint32_t ticks, all_ticks;

/* sti, cli, and 1 + 20 * (5 + 2) for 20 times a string instruction and what sets it up. */
#define TIMES(name, code)                                                                          \
    do {                                                                                           \
        ticks = 0;                                                                                 \
        MEASURE(                                                                                   \
            name, 143 + 6 * ticks, 20 + ticks,                                                     \
            "sti\n" LOOP(20, "movl %[array], %%edi\n movl %[array] + 32768, %%esi\n" code) "cli"); \
        all_ticks += ticks;                                                                        \
    } while (0)
#define COUNT(n) "movl $" #n ", %%ecx\n"

static void plain(void)
{
    for (unsigned i = 0; i < 8192; i++)
        array[i] = 0;
    TIMES("stosb", "xorl %%eax, %%eax\n" COUNT(32768) "rep stosb");
    TIMES("stosq", "xorl %%eax, %%eax\n" COUNT(4096) "rep stosq");
    TIMES("movsb", "nop\n" COUNT(32768) "rep movsb");
    TIMES("movsq", "nop\n" COUNT(4096) "rep movsq");
    TIMES("lodsb", "nop\n" COUNT(32768) "rep lodsb");
    TIMES("scasb", "movl $1, %%eax\n" COUNT(32768) "repne scasb");
    TIMES("scasb_equal", "xorl %%eax, %%eax\n" COUNT(32768) "repe scasb");
    TIMES("cmpsb", "nop\n" COUNT(32768) "repe cmpsb");
    TIMES("cmpsl", "nop\n" COUNT(8192) "repe cmpsl");
    TIMES("short_address", "nop\n" COUNT(32768) "addr32 rep stosb");
    TIMES("insb", "movl $0x3fd, %%edx\n" COUNT(300) "rep insb");
    TIMES("outsb", "movl $0x80, %%edx\n" COUNT(300) "rep outsb");
    TIMES("none", "nop\n" COUNT(0) "rep movsb");
    TIMES("one", "nop\n" COUNT(1) "rep movsb");
}

/* Upwards and downwards: two more instructions, which set and clear the direction. */
static void backwards(void)
{
    ticks = 0;
    MEASURE("backwards", 183 + 6 * ticks, 20 + ticks,
            "sti\n" LOOP(20, "movl %[array] + 65528, %%edi\n movl %[array] + 32760, %%esi\n std\n"
                             "movl $4000, %%ecx\n rep movsq\n cld\n nop") "cli");
    all_ticks += ticks;
}

/* A string instruction that ends early: 11 of 32768, and 1 at an inequality at once. */
static void early(void)
{
    ((volatile uint8_t *)array)[32777] = 1;
    TIMES("early_scan", "movl $1, %%eax\n" COUNT(65536) "repne scasb");
    TIMES("early_compare", "nop\n" COUNT(32768) "repe cmpsb");
    TIMES("early_at_once", "movl $1, %%eax\n" COUNT(32768) "repe scasb");
    ((volatile uint8_t *)array)[32777] = 0;
}

void guest(void)
{
    make_task();
    gate(32, tick, 1);
    out(0x20, 0x11), out(0x21, 32), out(0x21, 4), out(0x21, 1), out(0x21, 0xfe);
    out(0x43, 0x34), out(0x40, 400 & 0xff), out(0x40, 400 >> 8); /* every 0.3 ms */
    say("magic", (uint64_t)hypercall());
    write(0x38f, 0);
    write(0x186, SELECT(INSTRUCTIONS, 3));
    write(0x187, SELECT(BRANCHES, 3));
    for (unsigned pass = 0; pass < 2; pass++) {
        say("pass", pass);
        plain();
        backwards();
        early();
        write(0x188, SELECT(0xc5, 3)); /* with all models */
        write(0x189, SELECT(0x412e, 3));
    }
    say("interrupts", all_ticks);
    end();
}
