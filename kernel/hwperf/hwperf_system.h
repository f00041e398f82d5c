/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System mode: the two counters count the whole system, on every CPU the same events; no process
 * has any meanwhile. Several events of a side have their slices at each CPU's own ticks; what a CPU
 * has counted is read there and when somebody asks. Thread context, under
 * hwperf_lock; errors are positive.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "stats/hwperf/hwperf_control.h"

/*
 * Begins, from 0, for process ID (0: for nobody in particular). FORCE: takes the counters from
 * whoever has them; else only while no process that has any is running. Process TOLD (0: nobody)
 * gets the signal that CONTROL asks for. EBUSY: it is on already, or that. Processes that counted
 * can tell by their generation.
 */
int hwperf_system_begin(const struct hwperf_control *control, bool force, uint32_t id,
                        uint32_t told);
/* Goes on otherwise, counts stay; it is on. After an error, such as EBUSY because a self-test has
 * the counters, it is over. */
int hwperf_system_set(const struct hwperf_control *control, uint32_t told);
/* Counts stay to be read. */
void hwperf_system_end(void);
/* Process ID ends: so does what was begun for it, and it gets no signals. */
void hwperf_system_forget(uint32_t id);

bool hwperf_system_is_on(void);
/* For whom, if it is on; else 0. */
uint32_t hwperf_system_process(void);
uint32_t hwperf_system_generation(void);
const struct hwperf_control *hwperf_system_control(void);
/* What kstats say of it, or of one CPU. */
struct hwperf_facts {
    uint64_t rotations, overflows; /* events that came in another's place; thresholds passed */
    uint64_t count[HWPERF_EVENTS];
};
void hwperf_system_facts(struct hwperf_facts *facts);
bool hwperf_system_cpu_facts(unsigned cpu, struct hwperf_facts *facts);
/* All CPUs'; one CPU's, false: there is none of that number. */
void hwperf_system_read(uint64_t count[HWPERF_EVENTS]);
bool hwperf_system_read_cpu(unsigned cpu, uint64_t count[HWPERF_EVENTS]);
