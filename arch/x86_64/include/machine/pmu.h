/* SPDX-License-Identifier: BSD-2-Clause */
/* The hypercall of qpmu.h on x86_64. The counters are MSRs, for which <machine/cpu.h> has msr_read
 * and msr_write. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <machine/cpu.h>
#include <qpmu.h>

/* In one page: where the store is the last of its block, QEMU 7.2 leaves the plugin's callback
 * enabled (tools/qpmu/plugin/level.c). */
static inline bool pmu_hypercall(struct qpmu_slot *slot)
{
    __asm__ volatile(".balign 16; nopl %c1(%%rax); movl $0, (%0)"
                     :
                     : "r"(slot), "i"(QPMU_HYPERCALL)
                     : "memory");
    return *(volatile uint32_t *)&slot->magic == QPMU_MAGIC;
}

#define PMU_GENERAL 4u    /* counters, before the fixed ones */
#define PMU_MSR     0xc1u /* of the first general one */
#define PMU_FIXED   0x309u

/* The MSR that the instruction itself names does not matter. */
static inline __attribute__((always_inline)) void
pmu_fold_counter(struct qpmu_slot *slot, unsigned n, uint64_t *count, uint64_t *last)
{
    uint64_t value;

    *(volatile uint32_t *)&slot->number =
        n < PMU_GENERAL ? PMU_MSR + n : PMU_FIXED + n - PMU_GENERAL;
    (void)msr_read(PMU_MSR);
    value = *(volatile uint64_t *)&slot->value;
    *count += (uint32_t)value - (uint32_t)*last;
    *last = value;
}
