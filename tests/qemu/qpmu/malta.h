/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A Malta for bare guests: the start, the serial line, the slot of qpmu, and a TLB whose entries
 * are missing, invalid or clean as a test wants them, with handlers that repair that. It is
 * included once, by the guest's only file. A guest defines guest().
 */
#ifndef QPMU_TESTS_MALTA_H
#define QPMU_TESTS_MALTA_H
#include <stdint.h>

#include "tools/qpmu/include/qpmu.h"

#ifndef CPUS
#define CPUS 1
#endif
#define UART  ((volatile uint8_t *)0xffffffffb80003f8)
#define RESET ((volatile uint32_t *)0xffffffffbf000500)
#define PAGE  0x400000ull /* mapped, from here on, two pages for each entry: all of them */
#define FRAME 0xffffffff81000000ull /* are this one */

#if CPUS > 1 /* release 2 has the register for it */
#define OF_THIS_CPU                                                                                \
    "   mfc0 $8, $15, 1\n andi $8, $8, 0x3ff\n dsll $8, $8, 14\n daddu $sp, $sp, $8\n"
#else
#define OF_THIS_CPU ""
#endif
__asm__(".section .text.start, \"ax\"\n"
        ".globl __start\n"
        "__start: li $8, 0x84\n mtc0 $8, $12\n ehb\n" /* KX; ERL as it was */
        "   dla $sp, stack + 16384\n" OF_THIS_CPU "   j guest\n"
        "   nop\n"
        ".previous\n");

/*
 * refill: 7 instructions. general: 14 for an entry that was invalid or clean and is made good, 8
 * for any other exception, after which the guest goes on at $15.
 */
__asm__(".section .text\n .set push\n .set noreorder\n .set noat\n"
        "refill: lui $26, 4\n ori $26, $26, 0x1f\n dmtc0 $26, $2\n dmtc0 $26, $3\n ehb\n tlbwr\n"
        "   eret\n"
        "refill_end:\n"
        "general: mfc0 $26, $13\n andi $26, $26, 0x7c\n sltiu $26, $26, 0x10\n bnez $26, 1f\n nop\n"
        "   dmtc0 $15, $14\n ehb\n eret\n"
        "1: lui $26, 4\n ori $26, $26, 0x1f\n dmtc0 $26, $2\n dmtc0 $26, $3\n tlbp\n ehb\n nop\n"
        "   tlbwi\n eret\n"
        "general_end: .set pop\n");
extern const char refill[], refill_end[], general[], general_end[];

uint64_t stack[2048 * CPUS];
static struct qpmu_slot slot __attribute__((aligned(4096)));
uint64_t array[8192] __attribute__((aligned(65536)));

/* A register of coprocessor 0, by its name in assembly. */
#define CP0(name)                                                                                  \
    __extension__({                                                                                \
        uint64_t value_;                                                                           \
        __asm__ volatile("ehb\n mfc0 %0, " name : "=r"(value_));                                   \
        (uint32_t)value_;                                                                          \
    })

static void print(const char *text)
{
    while (*text)
        *UART = (uint8_t)*text++;
}

static void number(uint64_t value)
{
    char digits[21], *p = &digits[20];

    *p = '\0';
    do
        *--p = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    print(p);
}

static void say(const char *name, uint64_t value)
{
    print(name);
    print(" ");
    number(value);
    print("\n");
}

/* What was counted, twice, and what it has to be. */
static void tell(const char *name, uint64_t a, uint64_t b, uint64_t right_a, uint64_t right_b)
{
    print(name), print(" ");
    number(a), print(" ");
    number(b), print(" = ");
    number(right_a), print(" ");
    number(right_b), print("\n");
}

static void copy(uint64_t to, const char *from, const char *end)
{
    volatile char *p = (char *)to;

    while (from < end)
        *p++ = *from++;
}

/* Every entry is one that nothing uses, but if FLAGS is not 0 that of PAGE: 2 valid, 4 writable. */
static __attribute__((noinline)) void entries(unsigned flags)
{
    uint64_t low = 0x40000 | 0x19 | flags;

    for (unsigned n = 0; n < 64; n++)
        __asm__ volatile("dmtc0 %0, $10\n dmtc0 $0, $2\n dmtc0 $0, $3\n mtc0 %1, $0\n ehb\n tlbwi"
                         :
                         : "r"(0xffffffff80000000 + n * 0x2000), "r"(n));
    if (flags)
        __asm__ volatile("dmtc0 %0, $10\n dmtc0 %1, $2\n dmtc0 %1, $3\n mtc0 $0, $0\n ehb\n tlbwi"
                         :
                         : "r"(PAGE), "r"(low));
}

#define WRITE(select, value_)                                                                      \
    do {                                                                                           \
        *(volatile uint32_t *)&slot.again = 0;                                                     \
        *(volatile uint64_t *)&slot.value = (value_);                                              \
        __asm__ volatile("mtc0 $0, $25, " #select : : : "memory");                                 \
    } while (*(volatile uint32_t *)&slot.again)
#define CONTROL(event, modes) ((uint64_t)(event) << 5 | (modes))
#define K                     QPMU_MODE_K
#define EXL                   QPMU_MODE_EXL
#define LOOP(turns, body)     "li $8, " #turns "\n1: " body "\n bnez $8, 1b\n daddiu $8, $8, -1\n"

/* Status, whose mode bits the slot hears of first. */
static inline void status(uint32_t value)
{
    slot.status = value;
    __asm__ volatile("mtc0 %0, $12\n ehb" : : "r"(value) : "memory");
}

static void begin(void)
{
    copy(0xffffffff80000000, refill, refill_end);
    copy(0xffffffff80000080, refill, refill_end);
    copy(0xffffffff80000180, general, general_end);
    __asm__ volatile("sltiu $0, $0, 0x5150\n sw $0, 0(%0)" : : "r"(&slot) : "memory");
    say("magic", *(volatile uint32_t *)&slot.magic == QPMU_MAGIC);
    status(0x80);
}

static void end(void)
{
    say("end", 0);
    *RESET = 0x42;
    for (;;)
        ;
}
#endif
