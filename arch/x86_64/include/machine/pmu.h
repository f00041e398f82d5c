/* SPDX-License-Identifier: BSD-2-Clause */
/* The knock of qpmu.h on x86_64. The counters are MSRs, for which <machine/cpu.h> has msr_read and
 * msr_write. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <qpmu.h>

static inline bool pmu_knock(struct qpmu_slot *slot)
{
    __asm__ volatile("nopl %c1(%%rax); movl $0, (%0)" : : "r"(slot), "i"(QPMU_KNOCK) : "memory");
    return *(volatile uint32_t *)&slot->magic == QPMU_MAGIC;
}
