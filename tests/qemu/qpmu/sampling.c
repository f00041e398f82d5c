/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bare guest that samples itself: each CPU takes a record for every PERIOD instructions out of
 * its ring until it has RECORDS of them, while a second counter counts the instructions alone.
 * Then it lets the ring become full. test_qpmu_sampling.py knows what the lines must say.
 * OWN: the size of a ring of its own; 0: the slot's. LEAVE: so many records it leaves in there each
 * time. INTERRUPT: 1 if it asks for interrupts, which it does not take.
 */
#include <stdbool.h>
#include <stdint.h>

#include "tools/qpmu/include/qpmu.h"

#define OWN_MOST 16384
#define RING     (OWN ? OWN : QPMU_RING)
#ifndef CPUS
#define CPUS 1
#endif
#ifndef LEAVE
#define LEAVE     0
#define INTERRUPT 0
#endif

static struct qpmu_slot slots[CPUS] __attribute__((aligned(4096)));
static struct qpmu_record own[CPUS][OWN_MOST] __attribute__((aligned(4096)));
uint64_t stacks[CPUS][2048] __attribute__((aligned(16)));
extern const char etext[]; /* the linker's: the end of the code */

static struct result {
    uint64_t rounds, records, lost, events; /* while the ring was emptied in time */
    uint64_t full, more, all;               /* the same while it was not */
    uint64_t wrong;                         /* records that do not say what they should */
    volatile uint32_t done;
} results[CPUS];

static void loop(uint64_t turns);
static void tell_mode(struct qpmu_slot *slot);
static bool hypercall(void *place, struct qpmu_slot *slot);
static void start(struct qpmu_slot *slot);
static void stop(struct qpmu_slot *slot);
static uint64_t counted(struct qpmu_slot *slot);
static void prepare(struct qpmu_slot *slot, uint64_t period);
static void print(const char *text);
static void end(void);

#ifdef __mips__
#define START_VALUE(period) (0x80000000u - (period))
#define AT_OVERFLOW         0x80000000u
#define TEXT                0xffffffff80100000u
#define TURN                3 /* instructions */

__asm__(".section .text.start, \"ax\"\n .globl __start\n"
        "__start: li $8, 0x84\n mtc0 $8, $12\n ehb\n"
        "   dla $sp, stacks + 16384\n   j guest\n   nop\n .previous\n");

static void print(const char *text)
{
    while (*text)
        *(volatile uint8_t *)0xffffffffb80003f8 = (uint8_t)*text++;
}

static void end(void)
{
    *(volatile uint32_t *)0xffffffffbf000500 = 0x42;
}

static bool hypercall(void *place, struct qpmu_slot *slot)
{
    __asm__ volatile("sltiu $0, $0, 0x5150\n sw $0, 0(%0)" : : "r"(place) : "memory");
    return *(volatile uint32_t *)&slot->magic == QPMU_MAGIC;
}

/* With ERL set, as after a reset, nothing would count. */
static void tell_mode(struct qpmu_slot *slot)
{
    slot->status = 0x80;
    __asm__ volatile("mtc0 %0, $12\n ehb" : : "r"(0x80) : "memory");
}

static void loop(uint64_t turns)
{
    __asm__ volatile(".set push\n .set noreorder\n1: daddiu %0, %0, -1\n bnez %0, 1b\n nop\n"
                     ".set pop"
                     : "+r"(turns));
}

#define WRITE(select, number)                                                                      \
    do {                                                                                           \
        *(volatile uint32_t *)&slot->again = 0;                                                    \
        *(volatile uint64_t *)&slot->value = (number);                                             \
        __asm__ volatile("mtc0 $0, $25, " #select : : : "memory");                                 \
    } while (*(volatile uint32_t *)&slot->again)

/* Counter 0 begins and ends as long before the other at the start as at the end, since the code is
 * the same. */
static __attribute__((noinline, noclone)) void both(struct qpmu_slot *slot, uint64_t first,
                                                    uint64_t second)
{
    WRITE(0, first);
    WRITE(2, second);
}

static void start(struct qpmu_slot *slot)
{
    both(slot, 15 << 5 | INTERRUPT << 4 | 15, 1 << 5 | 15);
}

static void stop(struct qpmu_slot *slot)
{
    both(slot, 0, 0);
}

static void prepare(struct qpmu_slot *slot, uint64_t period)
{
    start(slot); /* what is to be counted is instrumented when this returns */
    stop(slot);
    WRITE(1, START_VALUE(period));
    WRITE(3, 0);
    slot->tail = *(volatile uint32_t *)&slot->head;
}

static uint64_t counted(struct qpmu_slot *slot)
{
    __asm__ volatile("mfc0 $0, $25, 3" : : : "memory");
    return *(volatile uint64_t *)&slot->value;
}

static void others_begin(void)
{
}

#else
#define START_VALUE(period) ((1ull << 48) - (period))
#define AT_OVERFLOW         0
#define TEXT                0x100000u
#define TURN                2

/* CPUs are started at 0x8000, where this is copied; each finds its number in its local APIC. */
__asm__(".section .text.start, \"ax\"\n .globl _start\n .code32\n"
        ".balign 4\n .long 0x1badb002, 0, -0x1badb002\n"
        "_start: lgdt gdt_pointer\n"
        "enter: movl $24, %eax\n movl %eax, %ds\n movl %eax, %es\n movl %eax, %ss\n"
        "   movl $pointers + 3, %eax\n movl %eax, top\n"
        "   movl $0x83, pointers\n movl $0x40000083, pointers + 8\n"
        "   movl $0x80000083, pointers + 16\n movl $0xc0000083, pointers + 24\n"
        "   movl $top, %eax\n movl %eax, %cr3\n"
        "   movl %cr4, %eax\n orl $0x20, %eax\n movl %eax, %cr4\n"
        "   movl $0xc0000080, %ecx\n rdmsr\n orl $0x100, %eax\n wrmsr\n"
        "   movl %cr0, %eax\n orl $0x80000000, %eax\n movl %eax, %cr0\n   ljmp $16, $1f\n"
        "   .code64\n"
        "1: movl $0xfee00020, %edi\n movl (%rdi), %edi\n shrl $24, %edi\n"
        "   leal 1(%rdi), %eax\n shll $14, %eax\n leaq stacks(%rax), %rsp\n   call cpu\n"
        "   .code16\n"
        "other: cli\n xorw %ax, %ax\n movw %ax, %ds\n lgdtl 0x8000 + gdt_pointer - other\n"
        "   movl %cr0, %eax\n orl $1, %eax\n movl %eax, %cr0\n   ljmpl $8, $enter\n"
        "gdt_pointer: .word 31\n .long gdt\n"
        "other_end:\n .balign 8\n"
        "gdt: .quad 0, 0x00cf9a000000ffff, 0x00209a0000000000, 0x00cf92000000ffff\n"
        ".code64\n .bss\n .balign 4096\n pointers: .skip 4096\n top: .skip 4096\n .previous\n");
extern const char other[], other_end[];

static void out(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "d"(port));
}

static void print(const char *text)
{
    while (*text)
        out(0x3f8, (uint8_t)*text++);
}

static void end(void)
{
    out(0xf4, 0);
}

static bool hypercall(void *place, struct qpmu_slot *slot)
{
    __asm__ volatile("nopl 0x5150(%%rax)\n movl $0, (%0)" : : "r"(place) : "memory");
    return *(volatile uint32_t *)&slot->magic == QPMU_MAGIC;
}

/* What counts in all modes needs none. */
static void tell_mode(struct qpmu_slot *slot)
{
    (void)slot;
}

static void loop(uint64_t turns)
{
    __asm__ volatile("1: decq %0\n jnz 1b" : "+r"(turns));
}

static void write(struct qpmu_slot *slot, uint32_t number, uint64_t value)
{
    do {
        *(volatile uint32_t *)&slot->again = 0;
        *(volatile uint64_t *)&slot->value = value;
        *(volatile uint32_t *)&slot->number = number;
        __asm__ volatile("wrmsr" : : "c"(number), "a"(0), "d"(0) : "memory");
    } while (*(volatile uint32_t *)&slot->again);
}

/* One register starts and stops both. */
static void start(struct qpmu_slot *slot)
{
    write(slot, 0x38f, 3);
}

static void stop(struct qpmu_slot *slot)
{
    write(slot, 0x38f, 0);
}

static void prepare(struct qpmu_slot *slot, uint64_t period)
{
    stop(slot); /* after power-on that register lets all of them count */
    write(slot, 0x186, 0x4300c0 | INTERRUPT << 20);
    write(slot, 0x187, 0x4300c0);
    write(slot, 0x4c1, START_VALUE(period));
    write(slot, 0x4c2, 0);
    slot->tail = *(volatile uint32_t *)&slot->head;
}

static uint64_t counted(struct qpmu_slot *slot)
{
    *(volatile uint32_t *)&slot->number = 0xc2;
    __asm__ volatile("rdmsr" : : "c"(0xc2) : "rax", "rdx", "memory");
    return *(volatile uint64_t *)&slot->value;
}

static void copy(uint64_t to, const char *from, const char *end_of_it)
{
    volatile char *p = (char *)to;

    while (from < end_of_it)
        *p++ = *from++;
}

/* INIT, and where to start (Intel SDM volume 3, 11.6): all but this one. */
static void others_begin(void)
{
    volatile uint32_t *command = (volatile uint32_t *)0xfee00300;

    copy(0x8000, other, other_end);
    *command = 0xc4500;
    loop(1000000);
    *command = 0xc4608;
}
#endif

static void take(struct qpmu_slot *slot, unsigned number, uint64_t period)
{
    const struct qpmu_record *ring = OWN ? own[number] : slot->ring;
    struct result *result = &results[number];
    static uint64_t last[CPUS]; /* 0: none */
    uint32_t tail = slot->tail;

    for (; tail + LEAVE != *(volatile uint32_t *)&slot->head; tail++, result->records++) {
        const struct qpmu_record *record = &ring[tail % RING];

        result->wrong += record->cpu != number || record->counter != 0 ||
                         record->value != AT_OVERFLOW || record->pc < TEXT ||
                         record->pc >= (uint64_t)etext ||
                         (last[number] && record->instructions - last[number] != period);
        last[number] = record->instructions;
        *(volatile uint32_t *)&slot->tail = tail + 1;
    }
}

static bool use_own(struct qpmu_slot *slot, unsigned number)
{
    slot->ring_size = OWN;
    slot->flags = QPMU_RING_NEXT;
    hypercall(own[number], slot);
    return *(volatile uint32_t *)&slot->ring_size == OWN && slot->flags == 0;
}

static void sample(unsigned number)
{
    struct qpmu_slot *slot = &slots[number];
    struct result *result = &results[number];
    uint64_t before;

    tell_mode(slot);
    if (!hypercall(slot, slot) || (OWN && !use_own(slot, number)))
        return;
    slot->reload[0] = START_VALUE(PERIOD);
    slot->reload_on = 1;
    prepare(slot, PERIOD);
    start(slot);
    while (result->records < RECORDS) {
        loop(RING * 3 / 4 * PERIOD / TURN);
        take(slot, number, PERIOD);
        result->rounds++;
    }
    stop(slot);
    take(slot, number, PERIOD);
    result->lost = *(volatile uint32_t *)&slot->dropped;
    result->events = counted(slot);
    prepare(slot, PERIOD);
    before = slot->tail;
    start(slot);
    loop(RING * 3 * PERIOD / TURN);
    stop(slot);
    result->full = *(volatile uint32_t *)&slot->head - before;
    result->more = *(volatile uint32_t *)&slot->dropped - result->lost;
    result->all = counted(slot);
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

void cpu(unsigned number)
{
    if (number == 0 && CPUS > 1)
        others_begin();
    sample(number);
    __atomic_store_n(&results[number].done, 1, __ATOMIC_RELEASE);
    for (unsigned n = 0; number == 0 && n < CPUS; n++) {
        while (!__atomic_load_n(&results[n].done, __ATOMIC_ACQUIRE))
            ;
        say("rounds", results[n].rounds);
        say("records", results[n].records);
        say("lost", results[n].lost);
        say("events", results[n].events);
        say("full", results[n].full);
        say("more", results[n].more);
        say("all", results[n].all);
        say("wrong", results[n].wrong);
    }
    if (number == 0)
        end();
    for (;;)
        ;
}

void guest(void)
{
    cpu(0);
}
