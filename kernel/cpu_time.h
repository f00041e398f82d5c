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

struct thread;
/* CPU time of THREAD in cycles, never less than what was told before. Interrupts off, and THREAD
 * stays. */
uint64_t cpu_time_of_thread(struct thread *thread);

/* What else mpstat tells of a CPU, each a count that never goes back. */
struct cpu_counts {
    uint64_t cross_calls; /* functions and TLB shootdowns that other CPUs asked of this one */
    uint64_t interrupts; /* deliveries of hardware lines on this CPU, those between CPUs included */
    uint64_t switches;   /* thread switches */
    uint64_t involuntary; /* those that the thread did not ask for */
    uint64_t migrations;  /* threads that came here from another CPU */
    uint64_t mutex_waits; /* mutexes found taken */
};
void cpu_counts_get(unsigned cpu, struct cpu_counts *out);
/* The second of them alone. Any context. */
uint64_t cpu_interrupts(unsigned cpu);
