/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System mode on one CPU: which event's turn it is on each side, and what was counted here. A CPU's
 * part is its own, interrupts off, while the plan is on; else its reader's, under hwperf_lock.
 */
#pragma once

#include "kernel/hwperf/hwperf_private.h"

struct hwperf_cpu {
    uint64_t count[HWPERF_EVENTS];
    uint64_t overflows[HWPERF_EVENTS]; /* thresholds passed */
    uint64_t left[HWPERF_EVENTS];  /* to the next, of those whose slice it is not; 0: all of it */
    uint64_t folded[HWPERF_SIDES]; /* of the counter's value, part of the counts already */
    uint64_t rotations;            /* events that came in another's place */
    unsigned slice[HWPERF_SIDES];
    uint64_t began[HWPERF_EVENTS];        /* the count when the plan was last changed, and: */
    uint64_t began_passed[HWPERF_EVENTS]; /* the thresholds passed */
};

/* What all CPUs count. It changes while it is not on. */
struct hwperf_plan {
    volatile bool on;
    struct hwperf_control control;
    struct hwperf_slices slices;
    uint32_t told; /* the process that gets the signal; 0: none */
};

extern const struct pmu_owner hwperf_system_owner;
extern struct hwperf_plan hwperf_plan;

/* How side SIDE begins. */
struct pmc_counter_cfg hwperf_cpu_first(unsigned side);
/* Every CPU is to begin with the first event of each side, and has its counts if not ANEW. The plan
 * is not on. */
void hwperf_cpus_prepare(bool anew);
/* The plan is no longer on: every counter stands still, and the counts are what they will be. */
void hwperf_cpus_stop(void);
/* This CPU's part is brought up to date, also `left` of events whose slice it is; interrupts off.
 */
void hwperf_cpu_settle(void);
struct hwperf_cpu *hwperf_cpu_of(unsigned cpu);
/* COPY[N] is what CPU N has counted by now. */
void hwperf_cpus_read(struct hwperf_cpu *copy);
