/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The R10000's performance counters (MIPS R10000 User's Manual 14.20): CP0 register 25, specifiers
 * (control registers) and counters by select. Which of the two is part of the instruction.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <qpmu.h>

static inline bool pmu_knock(struct qpmu_slot *slot)
{
    __asm__ volatile(".set push; .set noreorder; .set noat\n"
                     "sltiu $0, $0, %1; sw $0, 0(%0)\n"
                     ".set pop"
                     :
                     : "r"(slot), "i"(QPMU_KNOCK)
                     : "memory");
    return *(volatile uint32_t *)&slot->magic == QPMU_MAGIC;
}

#define PMU_READ(instruction, n)                                                                   \
    __extension__({                                                                                \
        uint64_t pmu_value;                                                                        \
        __asm__ volatile(instruction " %0, " #n : "=r"(pmu_value) : : "memory");                   \
        pmu_value;                                                                                 \
    })
#define PMU_WRITE(instruction, n, value)                                                           \
    __asm__ volatile(instruction " %z0, " #n : : "Jr"((uint64_t)(value)) : "memory")

#define PMU_READ_COUNTER(n)         PMU_READ("mfpc", n)
#define PMU_WRITE_COUNTER(n, value) PMU_WRITE("mtpc", n, value)
#define PMU_WRITE_CONTROL(n, value) PMU_WRITE("mtps", n, value)
