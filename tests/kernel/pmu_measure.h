/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting one piece of code with one counter of the hardware's class, interrupts off. */
#pragma once

#include <stdint.h>
#include "stats/pmc/pmu_class.h"
#include "tests/kernel/pmu_code.h"

/* The class of hardware counters; NULL: there are none here. */
const struct pmu_class *pmu_hardware(void);

/* What graduates is event CODE_INSTRUCTIONS of counter COUNTER_INSTRUCTIONS, and so on. */
#ifdef __mips__
#define CODE_INSTRUCTIONS 17u
#define ON_INSTRUCTIONS   1u
#define CODE_BRANCHES     6u
#define ON_BRANCHES       0u
#define CODE_MISSES       24u
#define ON_MISSES         1u
#define CODE_LOADS        18u
#define CODE_STORES       19u
#define CODE_L1D_MISSES   25u
#define ON_LOADS          1u
#define MODE_COUNT        4u
#define MORE_BRANCHES     1u /* of the user's stub and the loop's end: bal; no jump counts */
#else
#define CODE_INSTRUCTIONS 0xc0u
#define ON_INSTRUCTIONS   0u
#define CODE_BRANCHES     0xc4u
#define ON_BRANCHES       0u
#define CODE_MISSES       0xc5u
#define ON_MISSES         0u
#define MODE_COUNT        2u
#define MORE_BRANCHES     3u /* call, ret, int */
#endif

struct pmu_event_at {
    uint32_t code;
    unsigned counter;
    uint32_t modes;
};

/* Counts while RUN(ARGUMENT) runs; its own few instructions are in the kernel. */
uint64_t pmu_measure(struct pmu_event_at what, void (*run)(uint64_t), uint64_t argument);
/* The same while the code that was prepared runs in user MODE. UINT64_MAX: it did not come back. */
uint64_t pmu_measure_user(struct pmu_event_at what, enum user_mode mode, uint64_t argument);
