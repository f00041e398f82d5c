/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guest that measures pieces of assembly with known counts and prints "NAME VALUE" lines, which
 * test_qpmu.py compares. It is a bare Malta program; everything is measured from the first of two
 * reads of a counter to the second, that is with two instructions, one of them a load, on top.
 */
#include <stdint.h>

#include "tests/qemu/qpmu/never.h"
#include "tools/qpmu/include/qpmu.h"
#ifdef WORK
#include "tests/qemu/qpmu/work.h"
#endif

#define UART ((volatile uint8_t *)0xffffffffb80003f8)
#ifndef ENDURE
#define ENDURE 0
#endif
#define RESET ((volatile uint32_t *)0xffffffffbf000500)

__asm__(".section .text.start, \"ax\"\n"
        ".globl __start\n"
        "__start: li $8, 0x84\n mtc0 $8, $12\n ehb\n" /* KX; ERL as it was */
        "   dla $sp, stack + 16384\n"
        "   j guest\n"
        "   nop\n"
        ".previous\n");

/* Refill: one pair of entries for whatever missed. The rest: an interrupt moves Compare on; any
 * other exception goes on behind the instruction that raised it. */
__asm__(".section .text\n .set push\n .set noreorder\n .set noat\n"
        "refill: dmfc0 $26, $8\n dsrl $26, $26, 13\n dsll $26, $26, 13\n dmtc0 $26, $10\n"
        "   li $26, 0x0010001f\n dmtc0 $26, $2\n dmtc0 $26, $3\n ehb\n tlbwr\n eret\n"
        "refill_end:\n"
        "general: mfc0 $26, $13\n andi $26, $26, 0x7c\n bnez $26, 1f\n nop\n"
        "   mfc0 $26, $9\n lui $27, 1\n addu $26, $26, $27\n mtc0 $26, $11\n eret\n"
        "1: dmfc0 $26, $14\n daddiu $26, $26, 4\n dmtc0 $26, $14\n eret\n"
        "general_end: .set pop\n");
extern const char refill[], refill_end[], general[], general_end[];

uint64_t stack[2048];
#ifdef SLOT
#define slot (*(struct qpmu_slot *)SLOT)
#else
static struct qpmu_slot slot __attribute__((aligned(4096)));
#endif
static uint64_t array[8192] __attribute__((aligned(65536)));
static uint64_t word;

static void print(const char *text)
{
    while (*text)
        *UART = (uint8_t)*text++;
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

static void copy(uint64_t to, const char *from, const char *end)
{
    volatile char *p = (char *)to;

    while (from < end)
        *p++ = *from++;
}

#define WRITE(select, number)                                                                      \
    do {                                                                                           \
        *(volatile uint32_t *)&slot.again = 0;                                                     \
        *(volatile uint64_t *)&slot.value = (number);                                              \
        __asm__ volatile("mtc0 $0, $25, " #select : : : "memory");                                 \
    } while (*(volatile uint32_t *)&slot.again)
#define CONTROL(event, modes) ((uint64_t)(event) << 5 | (modes))

/* Status, whose mode bits the slot hears of first. */
static void status(uint32_t value)
{
    slot.status = value;
    __asm__ volatile("mtc0 %0, $12\n ehb" : : "r"(value) : "memory");
}

/* MEASURE(NAME, CODE): what counter 0 counted. CODE may use $8 to $15; `array` is in $16 and
 * `word` in $17. */
#define MEASURE(name, code)                                                                        \
    do {                                                                                           \
        uint64_t before_;                                                                          \
        register void *a_ __asm__("$16") = array;                                                  \
        register void *w_ __asm__("$17") = &word;                                                  \
        __asm__ volatile(".set push\n .set noreorder\n .set noat\n"                                \
                         "mfc0 $1, $25, 1\n ld %0, 0(%1)\n" code "\nmfc0 $1, $25, 1\n .set pop"    \
                         : "=&r"(before_)                                                          \
                         : "r"(&slot.value), "r"(a_), "r"(w_)                                      \
                         : "$1", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15", "$31",      \
                           "memory");                                                              \
        say(name, *(volatile uint64_t *)&slot.value - before_);                                    \
    } while (0)

#define LOOP(turns, body) "li $8, " #turns "\n1: " body "\n bnez $8, 1b\n daddiu $8, $8, -1\n"
#define K                 QPMU_MODE_K
#define ALL               (K | QPMU_MODE_EXL | QPMU_MODE_S | QPMU_MODE_U)

static void plain(void)
{
    WRITE(0, CONTROL(15, K));
    MEASURE("nothing", "");
    MEASURE("loop", LOOP(99, "nop\n nop"));                       /* 1 + 100 * 4 */
    MEASURE("memory", LOOP(99, "ld $9, 0($16)\n sd $9, 8($16)")); /* 1 + 100 * 4 */
    MEASURE("device", "lui $10, 0xb800\n" LOOP(99, "nop\n lbu $9, 0x3fd($10)\n nop")); /* 2 + 500 */
    MEASURE("slot", "lui $10, 0xb800\n li $8, 99\n1: bnez $8, 2f\n lbu $9, 0x3fd($10)\n"
                    "2: bnez $8, 1b\n daddiu $8, $8, -1\n"); /* 2 + 100 * 4 */
    /* A likely branch skips its slot when it is not taken: 1 + 99 * 2 + 1. */
    MEASURE("likely", "li $8, 98\n1: bnezl $8, 1b\n daddiu $8, $8, -1\n");
    /* The same with a load in the slot: 1 + 99 * 3 + 2. */
    MEASURE("likely_load",
            "li $8, 98\n1: daddiu $8, $8, -1\n bgtzl $8, 1b\n ld $9, 0($16)\n nop\n nop\n");
    MEASURE("trap", "li $8, 5\n teq $8, $0\n teq $8, $8\n nop\n"); /* 3: one raises */
    MEASURE("syscall", "nop\n syscall\n nop\n break\n nop");       /* 3 */
    MEASURE("refill", "lui $10, 0x40\n ld $9, 0($10)\n ld $9, 8($10)\n"
                      "lui $10, 0x50\n sd $9, 0($10)\n nop\n"); /* 6 */
}

/* Each kind three times, 57 instructions, or 47 where the slot never executes or raises an
 * exception; 20 of them conditional branches. First at the level of blocks, then with all models
 * running. */
static void never(void)
{
    for (unsigned pass = 0; pass < 2; pass++) {
        WRITE(2, pass ? CONTROL(8, K) : 0);
        WRITE(0, CONTROL(15, K));
#define NEVER_MEASURE(name) MEASURE(#name, NEVER_CALLS(name));
        NEVER_KINDS(NEVER_MEASURE)
        WRITE(0, CONTROL(6, K));
        NEVER_KINDS(NEVER_MEASURE)
    }
}

static void events(void)
{
    WRITE(0, CONTROL(2, K));
    MEASURE("loads_issued", LOOP(9, "ld $9, 0($16)\n lw $9, 8($16)"));
    WRITE(0, CONTROL(3, K));
    MEASURE("stores_issued", LOOP(9, "sd $9, 0($16)\n sb $9, 8($16)"));
    WRITE(0, CONTROL(6, K));
    MEASURE("branches", LOOP(9, "beq $9, $9, 2f\n nop\n 2: nop"));
    WRITE(0, CONTROL(4, K));
    MEASURE("sc_issued", LOOP(9, "lld $9, 0($17)\n daddiu $9, $9, 1\n scd $9, 0($17)"));
    WRITE(0, CONTROL(5, K));
    MEASURE("sc_good", LOOP(9, "lld $9, 0($17)\n daddiu $9, $9, 1\n scd $9, 0($17)"));
    MEASURE("sc_same", LOOP(9, "lld $9, 0($17)\n scd $9, 0($17)\n nop"));
    MEASURE("sc_changed", LOOP(9, "lld $9, 0($17)\n daddiu $10, $9, 1\n sd $10, 0($17)\n"
                                  " scd $9, 0($17)\n nop"));
    MEASURE("sc_elsewhere", LOOP(9, "lld $9, 0($17)\n scd $9, 64($17)\n nop"));
    WRITE(0, CONTROL(15, QPMU_MODE_EXL));
    MEASURE("exl", "nop\n syscall\n nop\n");                /* the handler: 8 */
    MEASURE("exl_refill", "lui $10, 0x60\n ld $9, 0($10)"); /* the handler: 11 */
    WRITE(0, CONTROL(15, ALL));
    MEASURE("all", "nop\n syscall\n nop\n"); /* 2 + 8 */
}

/* Interrupts every 65,536 counts, each of 9 instructions at EXL, while a long loop runs. */
static void interrupts(void)
{
    uint64_t exl;

    WRITE(2, CONTROL(1, QPMU_MODE_EXL));
    WRITE(3, 0);
    WRITE(0, CONTROL(15, K));
    __asm__ volatile("mfc0 $8, $9\n lui $9, 1\n addu $8, $8, $9\n mtc0 $8, $11" : : : "$8", "$9");
    MEASURE("interrupted", "mfc0 $8, $12\n ori $8, $8, 0x8001\n mtc0 $8, $12\n ehb\n" /* 4 */
            LOOP(1999999, "nop\n nop")                                                /* 2 + 8M */
            "mfc0 $8, $12\n srl $8, $8, 1\n sll $8, $8, 1\n mtc0 $8, $12\n ehb\n");   /* 5 */
    __asm__ volatile("mfc0 $0, $25, 3" : : : "memory");
    exl = *(volatile uint64_t *)&slot.value;
    say("handled_rest", exl % 9);
    say("handled_some", exl > 9);
}

static void caches(void)
{
    WRITE(2, CONTROL(9, K));
    WRITE(0, CONTROL(15, K));
    for (int pass = 0; pass < 3; pass++) {
        uint64_t before;

        __asm__ volatile("mfc0 $0, $25, 3" : : : "memory");
        before = *(volatile uint64_t *)&slot.value;
        for (unsigned i = 0; i < 8192; i += 4)
            __asm__ volatile("ld $8, 0(%0)" : : "r"(&array[i]) : "$8");
        __asm__ volatile("mfc0 $0, $25, 3" : : : "memory");
        say("walk", *(volatile uint64_t *)&slot.value - before);
    }
    WRITE(2, CONTROL(8, K));
    for (int pass = 0; pass < 2; pass++) {
        uint64_t before;

        __asm__ volatile("mfc0 $0, $25, 3" : : : "memory");
        before = *(volatile uint64_t *)&slot.value;
        MEASURE("pattern_loop", LOOP(99, "nop\n nop"));
        __asm__ volatile("mfc0 $0, $25, 3" : : : "memory");
        say("pattern", *(volatile uint64_t *)&slot.value - before);
    }
}

static void overflows(void)
{
    extern const char watched[], watched_end[];
    uint64_t inside = 0;

    *(volatile uint32_t *)&slot.tail = *(volatile uint32_t *)&slot.head;
    slot.reload[0] = 0x80000000u - 1000;
    slot.reload_on = 1;
    WRITE(0, 0);
    WRITE(1, 0x80000000u - 1000);
    WRITE(0, CONTROL(15, K));
    __asm__ volatile(".set push\n .set noreorder\n .globl watched\n .globl watched_end\n"
                     "watched: li $8, 99999\n"
                     "1: nop\n nop\n bnez $8, 1b\n daddiu $8, $8, -1\n watched_end: .set pop"
                     :
                     :
                     : "$8");
    WRITE(0, 0);
    /* mtc0, again's load and test, the loop, three stores: 400,001 and few: 400 records. */
    say("records", *(volatile uint32_t *)&slot.head - *(volatile uint32_t *)&slot.tail);
    for (uint32_t n = slot.tail; n != *(volatile uint32_t *)&slot.head; n++) {
        struct qpmu_record *record = &slot.ring[n % QPMU_RING];

        if (record->pc >= (uint64_t)watched && record->pc < (uint64_t)watched_end &&
            record->value == 0x80000000u && record->counter == 0 && record->mode == K)
            inside++;
    }
    say("inside", inside);
    say("distance", slot.ring[(slot.tail + 1) % QPMU_RING].instructions -
                        slot.ring[slot.tail % QPMU_RING].instructions);
    say("dropped", *(volatile uint32_t *)&slot.dropped);
    WRITE(1, 0x80000000u - 1000);
    WRITE(0, CONTROL(15, K));
    __asm__ volatile(".set push\n .set noreorder\n" LOOP(49999, "nop\n nop") ".set pop" : : : "$8");
    WRITE(0, 0);
    say("full", *(volatile uint32_t *)&slot.head - slot.tail);
    say("dropped", *(volatile uint32_t *)&slot.dropped);
    slot.reload_on = 0;
}

/* An overflow whose interrupt is enabled sends a byte to the board's third serial port. */
static void interrupt(void)
{
    volatile uint8_t *port = (volatile uint8_t *)0xffffffffbf000900;
    unsigned patience = 100000000;

    if (!(slot.features & QPMU_INTERRUPTS))
        return;
    *(volatile uint32_t *)&slot.tail = *(volatile uint32_t *)&slot.head;
    WRITE(1, 0x7ffffff0);
    WRITE(0, CONTROL(15, K) | 0x10);
    while (!(port[5 * 8] & 1) && --patience > 0)
        ;
    WRITE(0, 0);
    say("byte", port[0]);
    say("records", *(volatile uint32_t *)&slot.head - *(volatile uint32_t *)&slot.tail);
}

static void hypercall(uint64_t place)
{
    __asm__ volatile("sltiu $0, $0, 0x5150\n sw $0, 0(%0)" : : "r"(place) : "memory");
}

/* For a tester who writes rubbish into the slot meanwhile. Rings of our own lie, if they fit, in
 * the upper half of memory, where nothing else is. */
static void endure(void)
{
    print("enduring\n");
    for (unsigned n = 0; n < 100000; n++) {
        if (n % 64 == 0)
            hypercall((uint64_t)&slot);
        if (n % 4 == 0) {
            *(volatile uint32_t *)&slot.ring_size = 1u << n / 4 % 32;
            *(volatile uint32_t *)&slot.flags |= QPMU_RING_NEXT;
            hypercall(0xffffffff82000000 + n % 1000 * 16);
        }
        *(volatile uint64_t *)&slot.value = CONTROL(n % 16, n % 32);
        __asm__ volatile("mtc0 $0, $25, 0\n mtc0 $0, $25, 2\n mfc0 $0, $25, 1" : : : "memory");
        status(0);
        __asm__ volatile(".set push\n .set noreorder\n" LOOP(99, "nop\n nop") ".set pop"
                         :
                         :
                         : "$8");
    }
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
    if (WORK == 2)
        WRITE(0, CONTROL(0, ALL));
    if (WORK == 2)
        WRITE(2, CONTROL(1, ALL));
    if (WORK == 3)
        WRITE(0, CONTROL(15, ALL));
    if (WORK == 3)
        WRITE(2, CONTROL(9, ALL));
    if (WORK == 4)
        WRITE(0, CONTROL(9, ALL));
    if (WORK == 4)
        WRITE(2, CONTROL(8, ALL));
    if (WORK == 5) {
        slot.reload[0] = 0x80000000u - 100000;
        slot.reload_on = 1;
        WRITE(1, 0x80000000u - 100000);
        WRITE(0, CONTROL(15, ALL));
    }
    say("work", work(ROUNDS));
}
#endif

/* A function of its own, so that a tester finds the place. */
static void __attribute__((noinline)) finish(void)
{
    *RESET = 0x42;
    for (;;)
        ;
}

void guest(void)
{
    copy(0xffffffff80000000, refill, refill_end);
    copy(0xffffffff80000080, refill, refill_end);
    copy(0xffffffff80000180, general, general_end);
    __asm__ volatile("sltiu $0, $0, 0x5150\n sw $0, 0(%0)" : : "r"(&slot) : "memory");
    say("magic", *(volatile uint32_t *)&slot.magic == QPMU_MAGIC);
    status(0x80);
#ifdef WORK
    measure_work();
#elif defined(NEVER)
    never();
#else
    plain();
    events();
    interrupts();
    caches();
    overflows();
    interrupt();
    if (ENDURE)
        endure();
#endif
    say("end", 0);
    finish();
}
