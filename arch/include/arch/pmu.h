/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine contract: what drivers of performance counters need of the machine. Their registers
 * are named in <machine/pmu.h>, each machine its own.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <qpmu.h>

/* Knocks (see qpmu.h): SLOT, in RAM, is this CPU's from now on if the answer is true. */
static inline bool pmu_knock(struct qpmu_slot *slot);

/* Tells in SLOT, before the knock, how this machine's modes can be followed. */
void pmu_slot_describe(struct qpmu_slot *slot);

/*
 * In a handler that interrupted no other: the address of the instruction that was to be next, and
 * whether that is a user's. False if nobody knows.
 */
bool pmu_interrupted(uint64_t *pc, bool *user);

#include <machine/pmu.h>
