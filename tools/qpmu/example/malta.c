/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small guest of qpmu: a Malta board that counts the instructions of a loop, prints how many
 * they were, and resets. See docs/QPMU.md for how to build and run it.
 */
#include <stdint.h>

#include "../include/qpmu.h"

#define UART  ((volatile uint8_t *)0xffffffffb80003f8)
#define RESET ((volatile uint32_t *)0xffffffffbf000500)
#define TURNS 1000

__asm__(".section .text.start, \"ax\"\n"
        ".globl __start\n"
        "__start: dla $sp, stack + 4096\n"
        "   j guest\n"
        "   nop\n"
        ".previous\n");

uint64_t stack[512];

/* A slot for the only CPU. It lies in memory at a page of its own. */
static struct qpmu_slot slot __attribute__((aligned(4096)));

static void print(const char *text)
{
    while (*text)
        *UART = (uint8_t)*text++;
}

static void print_number(uint64_t number)
{
    char digits[21], *p = &digits[20];

    *p = '\0';
    do
        *--p = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    print(p);
}

static int hypercall(void)
{
    slot.status = 4; /* as after a reset: ERL is set, nothing is counted until it goes */
    __asm__ volatile("sltiu $0, $0, 0x5150\n sw $0, 0(%0)" : : "r"(&slot) : "memory");
    return *(volatile uint32_t *)&slot.magic == QPMU_MAGIC;
}

/* Status := 0: kernel mode, EXL and ERL clear, interrupts off. The slot hears of it first. */
static void leave_reset(void)
{
    slot.status = 0;
    __asm__ volatile("mtc0 $0, $12\n ssnop\n ehb" : : : "memory");
}

/* mtps rt, 0: counter 0's control register. Written again while the plugin is getting ready. */
static void control_0(uint64_t value)
{
    do {
        *(volatile uint32_t *)&slot.again = 0;
        *(volatile uint64_t *)&slot.value = value;
        __asm__ volatile("mtc0 %0, $25, 0" : : "r"(value) : "memory");
    } while (*(volatile uint32_t *)&slot.again);
}

/* What counter 0 counts from one mfpc to the other: the first, the ld, and 2 * (TURNS + 1). */
static uint64_t count_loop(void)
{
    uint64_t before, turns = TURNS;

    __asm__ volatile(".set push\n .set noreorder\n .set noat\n"
                     "mfc0 $1, $25, 1\n ld %0, 0(%2)\n"
                     "1: bnez %1, 1b\n daddiu %1, %1, -1\n"
                     "mfc0 $1, $25, 1\n .set pop"
                     : "=&r"(before), "+r"(turns)
                     : "r"(&slot.value)
                     : "$1", "memory");
    return *(volatile uint64_t *)&slot.value - before;
}

void guest(void)
{
    if (!hypercall()) {
        print("no counters\n");
    } else {
        leave_reset();
        control_0(15 << 5 | QPMU_MODE_K); /* its event 15: graduated instructions */
        print_number(count_loop());
        print(" instructions\n");
    }
    *RESET = 0x42;
    for (;;)
        ;
}
