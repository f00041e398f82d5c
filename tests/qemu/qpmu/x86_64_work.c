/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the counters cost a PC that knows nothing of qpmu (its transparent mode). WORK: 1 nothing is
 * counted, 2 cycles and instructions, 4 all models, 5 instructions with an interrupt each 100,000.
 */
#include "tests/qemu/qpmu/pc.h"
#include "tests/qemu/qpmu/work.h"

#define PERIOD 100000
#define INT    16u /* of the bits of SELECT: its interrupt is enabled */

extern const char sampled[];
volatile uint64_t taken;

__asm__(".text\n .balign 16\n"
        "sampled: pushq %rax\n pushq %rcx\n pushq %rdx\n incq taken\n"
        "   movl $0x390, %ecx\n movl $1, %eax\n xorl %edx, %edx\n wrmsr\n"
        "   movl $0xc1, %ecx\n movl $-100000, %eax\n wrmsr\n"
        "   movl $0xfee00340, %eax\n movl $0x400, (%rax)\n" /* LVTPC: an NMI */
        "   popq %rdx\n popq %rcx\n popq %rax\n iretq\n");

/* CPUID 0AH: the version. */
static unsigned pmu(void)
{
    uint32_t a = 10, c = 0;

    __asm__ volatile("cpuid" : "+a"(a), "+c"(c) : : "rbx", "rdx");
    return a & 255;
}

static void work_round_ends(void)
{
}

void guest(void)
{
    gate(2, sampled, 0);
    set_msr(0x38f, 0x70000000f);
    say("magic", pmu() != 0); /* there are counters */
    if (WORK == 2)
        set_msr(0x186, SELECT(0x3c, 3));
    if (WORK == 2)
        set_msr(0x187, SELECT(INSTRUCTIONS, 3));
    if (WORK == 4)
        set_msr(0x186, SELECT(0xc5, 3));
    if (WORK == 4)
        set_msr(0x187, SELECT(0x412e, 3));
    if (WORK == 5) {
        ((volatile uint32_t *)0xfee000f0)[0] = 0x1ff; /* software enable */
        ((volatile uint32_t *)0xfee00340)[0] = 0x400;
        set_msr(0xc1, (uint32_t)-PERIOD);
        set_msr(0x186, SELECT(INSTRUCTIONS, 3 | INT));
    }
    say("work", work(ROUNDS));
    say("taken", taken);
    end();
}
