/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine contract: what drivers of performance counters need of the machine. Their registers
 * are named in <machine/pmu.h>, each machine its own.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <qpmu.h>

struct evcnt;

/* The hypercall (see qpmu.h): SLOT, in RAM, is this CPU's from now on if the answer is true. */
static inline bool pmu_hypercall(struct qpmu_slot *slot);

/* Tells in SLOT, before the hypercall, how this machine's modes can be followed. */
void pmu_slot_describe(struct qpmu_slot *slot);

/* Counter N of qpmu's, counted from the first, through this CPU's SLOT: value = register;
 * *COUNT += value - *LAST, of which the lower 32 bits are enough; *LAST = value. */
static inline void pmu_fold_counter(struct qpmu_slot *slot, unsigned n, uint64_t *count,
                                    uint64_t *last);

/*
 * In a handler that interrupted no other: the address of the instruction that was to be next, and
 * whether that is a user's. False if nobody knows.
 */
bool pmu_interrupted(uint64_t *pc, bool *user);

#include <machine/pmu.h>
