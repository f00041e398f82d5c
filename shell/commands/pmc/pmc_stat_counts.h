/* SPDX-License-Identifier: BSD-2-Clause */
/* pmc_stat_counts: what a set of events has counted, as a report shows it. */
#ifndef SHELL_PMC_STAT_COUNTS_H
#define SHELL_PMC_STAT_COUNTS_H

#include "kernel/pmc/pmu_set.h"
#include "shell/commands/pmc/pmc_events.h"
#include "stats/read/pmc_stat.h"

/* COUNTS has room for all EVENTS. */
void pmc_stat_counts(const struct pmc_events *events, const struct pmu_set_values *values,
                     struct pmc_stat_count *counts);

#endif
