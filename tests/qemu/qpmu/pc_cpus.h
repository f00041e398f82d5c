/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other CPUs of a PC, for bare guests: how they are started, and registers through slots of
 * their own. It is included once, behind pc.h. A guest defines other_cpu().
 */
#ifndef QPMU_TESTS_PC_CPUS_H
#define QPMU_TESTS_PC_CPUS_H

/* From real mode at 0x8000 to other_cpu(), its stack at other_stack. 35 instructions with the call
 * of that. */
__asm__(".text\n .code16\n trampoline: cli\n xorw %ax, %ax\n movw %ax, %ds\n"
        "   lgdtl 0x8ff0\n movl %cr0, %eax\n orl $1, %eax\n movl %eax, %cr0\n"
        "   ljmpl $0x28, $(3f - trampoline + 0x8000)\n .code32\n"
        "3: movl $0x30, %eax\n movl %eax, %ds\n movl %eax, %ss\n movl other_stack, %esp\n"
        "   movl $enter_paging, %eax\n call *%eax\n ljmp $8, $4f\n .code64\n"
        "4: movl $16, %eax\n movl %eax, %ds\n movl %eax, %es\n movl %eax, %ss\n"
        "   call other_cpu\n hlt\n trampoline_size: .long . - trampoline\n");
#define TRAMPOLINE 35
extern const char trampoline[], gdt_pointer[];
extern const uint32_t trampoline_size;
uint32_t other_stack;

void other_cpu(void);

static void put(struct qpmu_slot *to, uint32_t msr, uint64_t value)
{
    do {
        *(volatile uint32_t *)&to->again = 0;
        *(volatile uint64_t *)&to->value = value;
        *(volatile uint32_t *)&to->number = msr;
        __asm__ volatile("wrmsr" : : "c"(msr), "a"(0), "d"(0) : "memory");
    } while (*(volatile uint32_t *)&to->again);
}

/* 12345 where nobody answers. */
static uint64_t get(struct qpmu_slot *from, uint32_t msr)
{
    *(volatile uint64_t *)&from->value = 12345;
    *(volatile uint32_t *)&from->number = msr;
    __asm__ volatile("rdmsr" : : "c"(msr) : "rax", "rdx", "memory");
    return *(volatile uint64_t *)&from->value;
}

/* The local APIC's interrupt command, for CPU: 0x4500 is INIT, 0x4608 starts it at 0x8000. */
static void command_cpu(unsigned cpu, uint32_t command)
{
    volatile uint32_t *apic = (volatile uint32_t *)0xfee00000;

    apic[0x310 / 4] = cpu << 24;
    apic[0x300 / 4] = command;
}

/* Where all CPUs share a thread it is another one's turn. */
static inline void take_turns(void)
{
    __asm__ volatile("pause" : : : "memory");
}

static void pause_a_while(unsigned turns)
{
    for (unsigned wait = 0; wait < turns; wait++)
        take_turns();
}

/* INIT, and a start; STACK's top for it. It sets *BEGUN. */
static void start_cpu(unsigned cpu, uint64_t *stack_top, volatile int *begun)
{
    for (uint32_t i = 0; i < trampoline_size; i++)
        ((volatile char *)0x8000)[i] = trampoline[i];
    for (unsigned i = 0; i < 6; i++)
        ((volatile char *)0x8ff0)[i] = gdt_pointer[i];
    other_stack = (uint32_t)(uint64_t)stack_top;
    command_cpu(cpu, 0x4500);
    pause_a_while(1000);
    for (unsigned i = 0; i < 2 && !*begun; i++) {
        command_cpu(cpu, 0x4608);
        for (unsigned wait = 0; wait < 100000000 && !*begun; wait++)
            take_turns();
    }
}
#endif
