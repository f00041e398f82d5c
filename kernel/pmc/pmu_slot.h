/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pages that qpmu and this kernel share, one slot a CPU (tools/qpmu/include/qpmu.h). Drivers of
 * performance counters reach their registers so where qpmu answers; drivers/pmu_overflow.c takes
 * overflows out of the rings.
 */
#pragma once

#include <arch/cpu.h>
#include <arch/pmu.h>
#include <stdbool.h>
#include <stdint.h>
#include "stats/pmc/pmu_class.h"

extern struct qpmu_slot pmu_first_slot;
extern struct qpmu_slot *pmu_slots[CPU_MAX]; /* NULL: nobody answered that CPU */

/* This CPU's, once pmu_slot_boot was true. Interrupts off. */
static inline struct qpmu_slot *pmu_slot_here(void);

/* Start-up, on the first CPU: whether qpmu is there. A few instructions. */
bool pmu_slot_boot(void);
/* Thread context, before anything is counted: every CPU has a slot of its own and makes
 * its own hypercall. False if one has none: then there is no such PMU. */
bool pmu_slot_start(void);

/* The ring into which qpmu writes this CPU's overflows, of *COUNT records (a power of two);
 * slot->head and slot->tail, modulo that, are places in it. Interrupts off. */
struct qpmu_record *pmu_slot_records(unsigned *count);
/*
 * While they are enlarged, the CPUs' rings have room for thousands of overflows, if there is memory
 * for that. Thread context, by one user at a time; what has overflowed meanwhile is not lost.
 */
void pmu_slot_rings_enlarge(void);
void pmu_slot_rings_restore(void);
/* Counter N of this CPU becomes VALUE whenever it overflows, in that instant. Interrupts off. */
void pmu_slot_reload(unsigned n, bool on, uint64_t value);

#include "kernel/cpu/cpu.h"

static inline struct qpmu_slot *pmu_slot_here(void)
{
    return CPU_MAX == 1 ? &pmu_first_slot : pmu_slots[cpu_here.id];
}

/* What a plugin reads and writes behind the compiler's back: one access, now. */
#define PMU_SLOT(slot, field) (*(volatile __typeof__((slot)->field) *)&(slot)->field)
