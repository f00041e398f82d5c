/* SPDX-License-Identifier: BSD-2-Clause */
/* What mpstat tells of a CPU besides its times, each a count that never goes back. */
#pragma once

#include <stdint.h>

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
