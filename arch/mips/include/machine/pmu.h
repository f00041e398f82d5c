/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The R10000's performance counters (MIPS R10000 User's Manual 14.20): CP0 register 25, specifiers
 * (control registers) and counters by select. Which of the two is part of the instruction.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <qpmu.h>

/* Upcall of whoever emulates counters, interrupts off: the PMC_MODE_ bit of the mode that the CPU
 * enters; NULL: nobody asks. */
extern void (*pmu_mode_hook)(unsigned mode);
/* The slot whose plugin wants to know which mode an eret enters. */
extern struct qpmu_slot *pmu_described;
/* The CPU enters that mode; interrupts off. The kernel's concerns the hook alone. A user's is told
 * when user mode is entered by who may have been in another, and always while there is a hook. */
void pmu_mode(unsigned mode);
void pmu_mode_ask(void (*hook)(unsigned mode));

/* Whether anybody wants to know of a program's mode. */
static inline bool pmu_mode_is_told(void)
{
    return ((uintptr_t)pmu_described | (uintptr_t)pmu_mode_hook) != 0;
}

static inline bool pmu_hypercall(struct qpmu_slot *slot)
{
    __asm__ volatile(".set push; .set noreorder; .set noat\n"
                     "sltiu $0, $0, %1; sw $0, 0(%0)\n"
                     ".set pop"
                     :
                     : "r"(slot), "i"(QPMU_HYPERCALL)
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

/* The same of number N, 0 or 1. */
static inline void r10k_write_control(unsigned n, uint32_t value)
{
    if (n == 0)
        PMU_WRITE_CONTROL(0, value);
    else
        PMU_WRITE_CONTROL(1, value);
}

static inline uint32_t r10k_read_counter(unsigned n)
{
    return (uint32_t)(n == 0 ? PMU_READ_COUNTER(0) : PMU_READ_COUNTER(1));
}

static inline void r10k_write_counter(unsigned n, uint32_t value)
{
    if (n == 0)
        PMU_WRITE_COUNTER(0, value);
    else
        PMU_WRITE_COUNTER(1, value);
}

/* The lower half of the slot's value. N is known when it is compiled. */
static inline __attribute__((always_inline)) void
pmu_fold_counter(struct qpmu_slot *slot, unsigned n, uint64_t *count, uint64_t *last)
{
    int32_t value;

    if (n == 0)
        PMU_READ_COUNTER(0);
    else
        PMU_READ_COUNTER(1);
    value = ((volatile int32_t *)&slot->value)[1];
    *count += (uint64_t)(int32_t)((uint32_t)value - (uint32_t)*last);
    *last = (uint64_t)(int64_t)value;
}
