/* SPDX-License-Identifier: BSD-2-Clause */
/* pmc_interval: prints what a set of events counts while it counts, again and again (-I). */
#ifndef SHELL_PMC_INTERVAL_H
#define SHELL_PMC_INTERVAL_H

#include "kernel/pmc/pmu_set.h"
#include "shell/commands/pmc/pmc_events.h"

struct pmc_interval;

/* EVENTS and SEPARATOR stay. NULL: no memory. Before the set is begun: what prints is no part of
 * it. */
struct pmc_interval *pmc_interval_create(const struct pmc_events *events, uint64_t length_ns,
                                         const char *separator);
/* The set has begun to count at START. */
void pmc_interval_begin(struct pmc_interval *interval, struct pmu_set *set, uint64_t start);
/* It has been stopped: the rest is printed. The set may be freed then. */
void pmc_interval_end(struct pmc_interval *interval);
void pmc_interval_free(struct pmc_interval *interval);

#endif
