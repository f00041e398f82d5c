/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The same for the PC: see mips.c. Memory is mapped twice, at 0 and at -2 GiB, so that code can be
 * run in either half of the address space. Three instructions come on top of each measurement.
 */
#include <stdint.h>

#include "tools/qpmu/include/qpmu.h"
#ifdef WORK
#include "tests/qemu/qpmu/work.h"
#endif

#define HIGH 0xffffffff80000000ull

__asm__(".section .text.start, \"ax\"\n .code32\n .globl _start\n"
        ".balign 4\n .long 0x1badb002, 0, -0x1badb002\n"
        "_start: movl $stack + 16384, %esp\n"
        "   movl $0x83, %eax\n movl $directory, %edi\n movl $512, %ecx\n"
        "1: movl %eax, (%edi)\n addl $0x200000, %eax\n addl $8, %edi\n loop 1b\n"
        "   movl $directory + 3, %eax\n movl %eax, pointers\n movl %eax, pointers + 510 * 8\n"
        "   movl $0x83, pointers + 32\n   movl $1, pointers + 36\n" /* 1 GiB at 4 GiB */
        "   movl $pointers + 3, %eax\n movl %eax, top\n movl %eax, top + 511 * 8\n"
        "   movl $top, %eax\n movl %eax, %cr3\n"
        "   movl %cr4, %eax\n orl $0x20, %eax\n movl %eax, %cr4\n"
        "   movl $0xc0000080, %ecx\n rdmsr\n orl $0x100, %eax\n wrmsr\n"
        "   movl %cr0, %eax\n orl $0x80000000, %eax\n movl %eax, %cr0\n"
        "   lgdt gdt_pointer\n ljmp $8, $2f\n"
        "   .code64\n"
        "2: movl $16, %eax\n movl %eax, %ds\n movl %eax, %es\n movl %eax, %ss\n"
        "   lidt idt_pointer\n call guest\n"
        "gdt: .quad 0, 0x00209a0000000000, 0x0000920000000000\n"
        "gdt_pointer: .word 23\n .long gdt\n"
        "idt_pointer: .word 4095\n .quad idt\n"
        ".bss\n .balign 4096\n directory: .skip 4096\n pointers: .skip 4096\n top: .skip 4096\n"
        ".previous\n");

/* An undefined instruction and a division by zero are skipped, both two bytes; int3 returns; an
 * interrupt is acknowledged. */
__asm__(".text\n skip: addq $2, (%rsp)\n iretq\n"
        "back: iretq\n"
        "tick: pushq %rax\n movb $0x20, %al\n outb %al, $0x20\n incl ticks(%rip)\n popq %rax\n"
        "   iretq\n");
extern const char skip[], back[], tick[];

struct gate {
    uint16_t low, selector, kind, middle;
    uint32_t high, zero;
} idt[256];
uint64_t stack[2048];
volatile uint32_t ticks; /* each of 6 instructions */
static uint64_t measured;
/* Whether it says that its kernel is in the upper half, which is not so: all code is at CPL 0. */
#ifndef HALVES
#define HALVES 1
#endif
#ifdef SLOT
#define slot (*(struct qpmu_slot *)SLOT)
#else
static struct qpmu_slot slot __attribute__((aligned(4096)));
#endif
static uint64_t array[8192] __attribute__((aligned(65536)));

static void out(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "d"(port));
}

static void print(const char *text)
{
    while (*text)
        out(0x3f8, (uint8_t)*text++);
}

static void say(const char *name, uint64_t number)
{
    char digits[21], *p = &digits[20];

    *p = '\0';
    do
        *--p = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    print(name);
    print(" ");
    print(p);
    print("\n");
}

static void gate(unsigned vector, const char *code)
{
    uint64_t at = (uint64_t)code;

    idt[vector] = (struct gate){(uint16_t)at, 8, 0x8e00, (uint16_t)(at >> 16), 0, 0};
}

static void write(uint32_t number, uint64_t value)
{
    do {
        *(volatile uint32_t *)&slot.again = 0;
        *(volatile uint64_t *)&slot.value = value;
        *(volatile uint32_t *)&slot.number = number;
        __asm__ volatile("wrmsr" : : "c"(number), "a"(0), "d"(0) : "memory");
    } while (*(volatile uint32_t *)&slot.again);
}

static uint64_t read(uint32_t number)
{
    *(volatile uint32_t *)&slot.number = number;
    __asm__ volatile("rdmsr" : : "c"(number) : "rax", "rdx", "memory");
    return *(volatile uint64_t *)&slot.value;
}

#define PMC0 0xc1
#define MEASURE(name, code)                                                                        \
    do {                                                                                           \
        uint64_t before_;                                                                          \
        register uint64_t array_ __asm__("r8") = (uint64_t)array;                                  \
        *(volatile uint32_t *)&slot.number = PMC0;                                                 \
        __asm__ volatile("rdmsr\n movq %1, %0\n" code "\n movl %3, %2\n movl %3, %%ecx\n rdmsr"    \
                         : "=&r"(before_), "+m"(slot.value), "+m"(slot.number)                     \
                         : "i"(PMC0), "r"(array_), "c"(PMC0)                                       \
                         : "rax", "rdx", "rbx", "rsi", "rdi", "r9", "r10", "memory");              \
        measured = *(volatile uint64_t *)&slot.value - before_;                                    \
        say(name, measured - 6 * ticks);                                                           \
        ticks = 0;                                                                                 \
    } while (0)
#define LOOP(turns, body)   "movl $" #turns ", %%ebx\n1: " body "\n decl %%ebx\n jnz 1b\n"
#define SELECT(event, bits) ((uint64_t)(event) | (uint64_t)(bits) << 16 | 1u << 22)

static void plain(void)
{
    MEASURE("nothing", "");
    MEASURE("loop", LOOP(100, "nop\n nop"));
    MEASURE("memory", LOOP(100, "movq (%%r8), %%r9\n addq %%r9, 8(%%r8)"));
    MEASURE("calls", LOOP(100, "call 2f\n jmp 3f\n2: pushq %%rbx\n popq %%rbx\n ret\n3:"));
    MEASURE("device", "movl $0x3fd, %%edx\n" LOOP(100, "nop\n inb %%dx, %%al\n nop"));
    MEASURE("screen", "movl $0xb8000, %%edx\n" LOOP(100, "nop\n movl (%%rdx), %%eax\n nop"));
    MEASURE("string", "movl $1000, %%ecx\n movq %%r8, %%rdi\n rep stosb\n nop\n");
    MEASURE("empty", "movl $0, %%ecx\n movq %%r8, %%rdi\n rep stosb\n nop\n");
    MEASURE("strings", LOOP(50, "movl $10, %%ecx\n movq %%r8, %%rdi\n rep stosq\n"));
    MEASURE("scan", "movl $100, %%ecx\n movq %%r8, %%rdi\n xorl %%eax, %%eax\n incl %%eax\n"
                    "repne scasb\n nop\n");
    MEASURE("undefined", "nop\n ud2\n nop\n");
    MEASURE("division", "xorl %%ecx, %%ecx\n nop\n div %%ecx\n nop\n");
    MEASURE("breakpoint", "nop\n int3\n nop\n");
}

/* One tick in 1.2 ms: 20 loops, between which strings are interrupted as well. */
static void interrupts(void)
{
    out(0x20, 0x11), out(0x21, 32), out(0x21, 4), out(0x21, 1), out(0x21, 0xfe);
    out(0x43, 0x34), out(0x40, 1400 & 0xff), out(0x40, 1400 >> 8);
    MEASURE("interrupted", "sti\n" LOOP(300, "movl $3000, %%ecx\n movq %%r8, %%rdi\n rep stosb\n"
                                             "movl $1000, %%ecx\n"
                                             "2: nop\n decl %%ecx\n jnz 2b\n") "cli\n");
    say("interrupts", measured > 901807);
    out(0x21, 0xff);
}

__attribute__((noinline)) static void loops(void)
{
    __asm__ volatile(LOOP(100, "nop\n nop") : : : "rbx");
}

__attribute__((noinline)) static void nothing(void)
{
    __asm__ volatile("");
}

/* What CALLED adds to counter 1, with whatever of the caller's way there counts. */
__attribute__((noinline)) static uint64_t added(void (*called)(void), uint64_t where)
{
    uint64_t before = read(0xc2);

    ((void (*)(void))((uint64_t)called + where))();
    return read(0xc2) - before;
}

static int low_is_user; /* in the plugin's eyes: all of this runs at CPL 0 */

static void halves(void)
{
    write(0x187, SELECT(0xc0, 2)); /* OS; counter 0 counts in USR */
    write(0x186, SELECT(0xc0, 1));
    say("os", added(loops, HIGH) - added(nothing, HIGH)); /* without the return */
    low_is_user = added(nothing, 0) == 0;
    say("os", added(loops, 0) - added(nothing, 0));
    write(0x186, SELECT(0xc0, 3));
}

static void caches(void)
{
    write(0x188, SELECT(0xc5, 3));
    write(0x189, SELECT(0x412e, 3));
    for (int pass = 0; pass < 2; pass++) {
        uint64_t before = read(0xc3);

        MEASURE("pattern_loop", LOOP(100, "nop\n nop"));
        say("pattern", read(0xc3) - before);
    }
}

static void overflows(void)
{
    extern const char watched[], watched_end[];
    uint64_t inside = 0;
    uint32_t first = slot.tail = slot.head;

    slot.reload[0] = (1ull << 48) - 1000;
    slot.reload_on = 1;
    write(0x390, 1);
    write(0x186, 0);
    write(0x4c1, (1ull << 48) - 1000);
    write(0x186, SELECT(0xc0, 3));
    __asm__ volatile(".globl watched\n .globl watched_end\n"
                     "watched: " LOOP(100000, "nop\n nop") "watched_end:"
                     :
                     :
                     : "rbx");
    write(0x186, 0);
    for (uint32_t n = first; n != *(volatile uint32_t *)&slot.head; n++) {
        struct qpmu_record *record = &slot.ring[n % QPMU_RING];

        inside += record->pc >= (uint64_t)watched && record->pc < (uint64_t)watched_end &&
                  record->value == 0 && record->counter == 0 &&
                  record->mode == (low_is_user ? QPMU_MODE_U : QPMU_MODE_K);
    }
    say("records", *(volatile uint32_t *)&slot.head - first);
    say("inside", inside);
    say("status", read(0x38e));
    write(0x390, 1);
    say("status", read(0x38e));
}

#ifdef WORK
/* What the counters cost: 1 nothing is counted, 2 cycles and instructions, 3 instructions and
 * misses of the data cache, 4 all models, 5 instructions with a sample of each 100,000. */
static void work_round_ends(void)
{
    slot.tail = *(volatile uint32_t *)&slot.head; /* what was sampled is done with */
}

static void measure_work(void)
{
    write(0x38f, 0x70000000f);
    if (WORK == 2)
        write(0x186, SELECT(0x3c, 3));
    if (WORK == 2)
        write(0x187, SELECT(0xc0, 3));
    if (WORK == 3)
        write(0x186, SELECT(0xc0, 3));
    if (WORK == 4)
        write(0x186, SELECT(0xc5, 3));
    if (WORK == 4)
        write(0x187, SELECT(0x412e, 3));
    if (WORK == 5) {
        slot.reload[0] = (1ull << 48) - 100000;
        slot.reload_on = 1;
        write(0x4c1, (1ull << 48) - 100000);
        write(0x186, SELECT(0xc0, 3));
    }
    say("work", work(ROUNDS));
}
#endif

void guest(void)
{
    gate(0, skip), gate(3, back), gate(6, skip), gate(32, tick);
    slot.flags = HALVES ? QPMU_HIGHER_HALF : 0;
    __asm__ volatile("nopl 0x5150(%%rax)\n movl $0, %0" : "=m"(slot.magic) : : "memory");
    say("magic", *(volatile uint32_t *)&slot.magic == QPMU_MAGIC);
#ifdef WORK
    measure_work();
#else
    write(0x38f, 0x70000000f);
    write(0x186, SELECT(0xc0, 3));
    plain();
    interrupts();
    halves();
    caches();
    overflows();
#endif
    say("end", 0);
    out(0xf4, 0);
    for (;;)
        __asm__ volatile("hlt");
}
