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
#include <stddef.h>
#include <stdint.h>
#include "stats/pmc/pmu_class.h"

extern struct qpmu_slot pmu_first_slot;
extern struct qpmu_slot *pmu_slots[CPU_MAX]; /* NULL: nobody answered that CPU */

/* This CPU's, once pmu_slot_boot was true. Interrupts off. */
static inline struct qpmu_slot *pmu_slot_here(void);

/* Start-up, on the first CPU: whether qpmu is there, and `pmu=direct` does not say otherwise. A few
 * instructions. */
bool pmu_slot_boot(void);
/* Whether `pmu=direct` says so: what the CPU has is to be used, whatever it calls itself. */
bool pmu_slot_unwanted(void);
/* Thread context, before anything is counted: every CPU has a slot of its own and makes
 * its own hypercall. False if one has none: then there is no such PMU. */
bool pmu_slot_start(void);

/* The ring into which qpmu writes a CPU's overflows; slot->head and slot->tail, modulo `size`, are
 * places in it. */
struct pmu_records {
    struct qpmu_record *first;
    uint32_t size;   /* a power of two */
    uint32_t words;  /* for callers, behind all records; 0: there are none */
    uint32_t stride; /* bytes of a record, with its callers */
};
/* This CPU's. Interrupts off. */
struct pmu_records pmu_slot_records(void);

static inline const struct qpmu_record *pmu_records_at(const struct pmu_records *records,
                                                       uint32_t at)
{
    return (const void *)((const char *)records->first +
                          (size_t)(at & (records->size - 1)) * records->stride);
}

/* NULL: it has none. */
static inline const struct qpmu_callers *pmu_records_callers(const struct pmu_records *records,
                                                             const struct qpmu_record *record)
{
    return records->words ? (const struct qpmu_callers *)(record + 1) : NULL;
}

static inline const uint64_t *pmu_records_words(const struct pmu_records *records)
{
    return (const void *)((const char *)records->first + (size_t)records->size * records->stride);
}

/*
 * While they are enlarged, the CPUs' rings have room for thousands of overflows, if there is memory
 * for that; CALLERS: each with its callers, if qpmu can tell them. Thread context, by one user at a
 * time; what has overflowed meanwhile is not lost.
 */
void pmu_slot_rings_enlarge(bool callers);
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
