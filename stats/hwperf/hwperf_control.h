/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What r10k_counters(5) is asked to count: 32 virtual counters, those of index 0 to 15 on side 0
 * (the R10000's counter 0), the others on side 1. No machine, no kernel: also built on the host.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define HWPERF_EVENTS      32u
#define HWPERF_SIDES       2u
#define HWPERF_SIDE_EVENTS 16u
#define HWPERF_SIGNALS     32

struct hwperf_control {
    uint16_t spec[HWPERF_EVENTS]; /* event << 5 | interrupt << 4 | modes (PMC_MODE_); 0: none */
    int32_t frequency[HWPERF_EVENTS];
    int32_t signal;
};

static inline uint32_t hwperf_modes(const struct hwperf_control *control, unsigned index)
{
    return control->spec[index] & 15u;
}

/* Events from one overflow to the next, of one that is to interrupt; else 0. */
static inline uint32_t hwperf_period(const struct hwperf_control *control, unsigned index)
{
    return control->spec[index] & 16u ? (uint32_t)control->frequency[index] : 0;
}

/* 0, or EINVAL (positive): an event that is not its index's, or has no mode; a negative frequency;
 * a signal that does not exist; nothing at all. */
int hwperf_control_check(const struct hwperf_control *control);
/* All modes that any event is counted in. */
uint32_t hwperf_control_modes(const struct hwperf_control *control);

/* Whose slice it is on each side, at one clock tick after another. */
struct hwperf_slices {
    uint8_t count[HWPERF_SIDES];
    uint8_t index[HWPERF_SIDES][HWPERF_SIDE_EVENTS];
};

void hwperf_slices_make(struct hwperf_slices *slices, const struct hwperf_control *control);
