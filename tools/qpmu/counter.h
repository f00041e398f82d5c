/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One counter's arithmetic. Its value is what it was when last folded, plus what its raw event has
 * risen since, while it runs. A write never overflows; counting across `overflow_at` does.
 */
#ifndef QPMU_COUNTER_H
#define QPMU_COUNTER_H
#include <stdbool.h>
#include <stdint.h>

#include "tools/qpmu/events.h"

struct qpmu_counter {
    uint64_t value;       /* when last folded, below 1 << width */
    uint64_t start;       /* raw[event] at that instant; means something while it runs */
    uint64_t overflow_at; /* 1 << 31 (R10000), 1 << 48 (x86): overflow is counting up to this */
    uint8_t width;        /* 32 or 48 bits */
    uint8_t event;        /* enum qpmu_event; QPMU_NO_EVENT: counts nothing */
    uint8_t modes;        /* QPMU_MODE_ bits in which it counts, 0: never */
    bool enabled;         /* by all its enable bits (x86: EN and GLOBAL_CTRL) */
    bool interrupt;       /* IE, INT, PMI */
    bool running;         /* enabled, has an event, and the mode of the CPU matches */
};

/* The value at raw count RAW, folded or not. */
uint64_t qpmu_counter_value(const struct qpmu_counter *counter, uint64_t raw);

/* Folds what has been counted up to RAW; counting goes on from there. */
void qpmu_counter_fold(struct qpmu_counter *counter, uint64_t raw);

/* Events from VALUE to the next overflow: 1 to 1 << width. */
uint64_t qpmu_counter_distance(const struct qpmu_counter *counter, uint64_t value);

/* The raw count at which it overflows next; UINT64_MAX when it does not run. */
uint64_t qpmu_counter_limit(const struct qpmu_counter *counter);
#endif
