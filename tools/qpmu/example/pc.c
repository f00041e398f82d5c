/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small guest of qpmu: a PC that counts the instructions of a loop, prints how many they were,
 * and resets. See docs/QPMU.md for how to build and run it. malta.c is the same for a Malta board.
 */
#include <stdint.h>

#include "../include/qpmu.h"

#define UART            0x3f8
#define KEYBOARD        0x64
#define RESET           0xfe
#define PMC0            0xc1
#define PERFEVTSEL0     0x186
#define GLOBAL_CTRL     0x38f
#define RETIRED         0xc0 /* Intel's architectural event "instructions retired" */
#define IN_USER         (1u << 16)
#define IN_KERNEL       (1u << 17)
#define COUNTER_ENABLED (1u << 22)
#define TURNS           1000

/* QEMU enters here as a multiboot loader does, in 32-bit mode. Long mode wants page tables: the
 * first 2 MiB, each address its own. */
__asm__(".section .text.start, \"ax\"\n .code32\n .globl _start\n"
        ".balign 4\n .long 0x1badb002, 0, -0x1badb002\n"
        "_start: movl $stack + 4096, %esp\n"
        "   movl $0x83, directory\n"
        "   movl $directory + 3, pointers\n"
        "   movl $pointers + 3, top\n"
        "   movl $top, %eax\n movl %eax, %cr3\n"
        "   movl %cr4, %eax\n orl $0x20, %eax\n movl %eax, %cr4\n"
        "   movl $0xc0000080, %ecx\n rdmsr\n orl $0x100, %eax\n wrmsr\n" /* EFER.LME */
        "   movl %cr0, %eax\n orl $0x80000000, %eax\n movl %eax, %cr0\n"
        "   lgdt gdt_pointer\n ljmp $8, $long_mode\n"
        ".code64\n"
        "long_mode: call guest\n"
        "gdt: .quad 0, 0x00209a0000000000\n"
        "gdt_pointer: .word 15\n .long gdt\n"
        ".previous\n");

__attribute__((aligned(4096))) uint64_t directory[512], pointers[512], top[512], stack[512];

/* A slot for the only CPU. It lies in memory at a page of its own. */
static struct qpmu_slot slot __attribute__((aligned(4096)));

static void out(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "d"(port));
}

static void print(const char *text)
{
    while (*text)
        out(UART, (uint8_t)*text++);
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
    __asm__ volatile("nopl 0x5150(%%rax)\n movl $0, (%0)" : : "r"(&slot) : "memory");
    return *(volatile uint32_t *)&slot.magic == QPMU_MAGIC;
}

/* Written again while the plugin is getting ready. */
static void write_msr(uint32_t number, uint64_t value)
{
    do {
        *(volatile uint32_t *)&slot.again = 0;
        *(volatile uint64_t *)&slot.value = value;
        *(volatile uint32_t *)&slot.number = number;
        __asm__ volatile("wrmsr" : : "c"(number), "a"(0), "d"(0) : "memory");
    } while (*(volatile uint32_t *)&slot.again);
}

/* What counter 0 counts from one rdmsr to the other: the first, two movs, and 2 * TURNS. */
static uint64_t count_loop(void)
{
    uint64_t before, turns = TURNS;

    *(volatile uint32_t *)&slot.number = PMC0;
    __asm__ volatile("rdmsr\n movq %2, %0\n movl %4, %3\n"
                     "1: decq %1\n jnz 1b\n"
                     "rdmsr"
                     : "=&r"(before), "+r"(turns), "+m"(slot.value), "+m"(slot.number)
                     : "i"(PMC0), "c"(PMC0)
                     : "rax", "rdx", "memory");
    return *(volatile uint64_t *)&slot.value - before;
}

void guest(void)
{
    if (!hypercall()) {
        print("no counters\n");
    } else {
        write_msr(GLOBAL_CTRL, 1);
        write_msr(PERFEVTSEL0, RETIRED | IN_USER | IN_KERNEL | COUNTER_ENABLED);
        print_number(count_loop());
        print(" instructions\n");
    }
    out(KEYBOARD, RESET);
    for (;;)
        ;
}
