/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What any thread counts, read by any other, as it was listed: threads may end meanwhile. Thread
 * context, interrupts on, no spinlock held.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/pmc.h>
#include "kernel/pmc/pmu_set.h"

struct pmc_thread_counter {
    bool configured; /* if not, nothing else is said here */
    struct pmc_counter_cfg cfg;
    uint64_t value, children, overflows;
};

struct pmc_thread_values {
    struct pmc_thread_counter counter[PMC_COUNTERS_MAX];
    struct pmu_set_share set; /* count 0: it is in none */
};

struct pmc_thread_entry {
    uint64_t oldest, newest; /* when these of its counters were configured: ns since start-up */
    uint32_t id;
    const struct pmc_state *state; /* for pmc_thread_read: it may be gone */
};

/* Up to MAX of the threads that have counters configured, in order of their ids; how many there
 * are. */
size_t pmc_thread_list(struct pmc_thread_entry *out, size_t max);
/*
 * Everything of one instant: now if it runs, otherwise that at which it lost the CPU. (Of a thread
 * that comes and goes faster than it can be asked, each value is that of some instant meanwhile.)
 * 0, or ENXIO: it has no counters, or is no more. If all that it had have been released, these may
 * be others, until it is listed again.
 */
int pmc_thread_read(const struct pmc_thread_entry *entry, struct pmc_thread_values *out);
