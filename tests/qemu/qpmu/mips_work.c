/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the counters cost a Malta that knows nothing of qpmu (its transparent mode, the 24K's
 * events). WORK: 1 nothing is counted, 2 cycles and instructions, 3 instructions and misses of the
 * data cache, 4 all models, 5 instructions with an interrupt each 100,000.
 */
#include "tests/qemu/qpmu/malta.h"
#include "tests/qemu/qpmu/work.h"

#define ENABLE_INT (1u << 4)
#define INTERRUPTS 0x1081u /* Status: KX, pin 4, IE */
enum { CYCLES = 0, INSTRUCTIONS = 1, BRANCH_MISSES = 2, L1I_MISSES = 9, L1D_MISSES = 11 };

extern const char interrupted[], interrupted_end[];
volatile uint64_t taken;

__asm__(".section .text\n .set push\n .set noreorder\n .set noat\n"
        "interrupted: li $27, 0x80000000 - 100000\n mtc0 $27, $25, 1\n"
        "   lui $26, %hi(taken)\n ld $27, %lo(taken)($26)\n daddiu $27, $27, 1\n"
        "   sd $27, %lo(taken)($26)\n ehb\n eret\n"
        "interrupted_end: .set pop\n");

/* The first control register says that there is another pair. */
static unsigned pmu(void)
{
    uint64_t value;

    __asm__ volatile("mfc0 %0, $25, 0" : "=r"(value));
    return value >> 31 & 1;
}

/* Both counters, from 0 on. */
static void count(uint32_t first, uint32_t second)
{
    __asm__ volatile("mtc0 $0, $25, 1\n mtc0 $0, $25, 3\n mtc0 %0, $25, 0\n mtc0 %1, $25, 2"
                     :
                     : "r"(first), "r"(second));
}

static void work_round_ends(void)
{
}

void guest(void)
{
    copy(0xffffffff80000180, interrupted, interrupted_end);
    __asm__ volatile("mtc0 %0, $12\n ehb" : : "r"(0x80));
    say("magic", pmu()); /* there are counters */
    if (WORK == 2)
        count(CYCLES << 5 | K, INSTRUCTIONS << 5 | K);
    if (WORK == 3)
        count(INSTRUCTIONS << 5 | K, L1D_MISSES << 5 | K);
    if (WORK == 4)
        count(L1D_MISSES << 5 | K, BRANCH_MISSES << 5 | K);
    if (WORK == 5) {
        count(INSTRUCTIONS << 5 | K | ENABLE_INT, 0);
        __asm__ volatile("mtc0 %0, $25, 1\n mtc0 %1, $12\n ehb"
                         :
                         : "r"(0x80000000ll - 100000), "r"(INTERRUPTS));
    }
    say("work", work(ROUNDS));
    __asm__ volatile("mtc0 %0, $12\n ehb" : : "r"(0x80));
    say("taken", taken);
    end();
}
