/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPU time by timestamps at every change: user, system, interrupt and idle, for each CPU; user and
 * system for each thread.
 *
 * Each sum is kept so that one addition starts it and one stops it: a sum that is running has the
 * time of its start subtracted (it is negative), one that stands is what it says. A CPU's own time,
 * which stands still in interrupts, is the cycle count minus time_interrupt; threads and idle are
 * measured by that.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* All in nanoseconds since the CPU began to run threads. The four add up to elapsed. */
struct cpu_time {
    uint64_t user, system, interrupt, idle, elapsed;
};

/* The times of CPU (below cpu_count()) at one moment: no sum goes back between two calls. Any
 * context. */
void cpu_time_get(unsigned cpu, struct cpu_time *out);
