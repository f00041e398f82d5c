/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts as text: what was counted, what it costs, and what follows from several counts. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/hwperftypes.h>
#include "user/perfex/cost.h"

struct counts {
    hwperf_eventctrl_t control;
    hwperf_cntr_t counted;
};

/* Whether EVENT was counted; VALUE: times the number of events that had turns with it. */
bool perfex_value(const struct counts *counts, int event, unsigned long long *value);
/* " 9 Primary instruction cache misses.....        12 *", without the line's end. */
void perfex_row(int event, const char *value, bool projected, FILE *out);
/* A line for each event, `*` behind what is projected; with COSTS (or NULL) three times in seconds,
 * the most expensive first, and the statistics. */
void perfex_report(const struct counts *counts, const struct cost_table *costs, FILE *out);
/* What follows from counts, as far as all that it needs were counted. */
void perfex_statistics(const struct counts *counts, const struct cost_table *costs, FILE *out);
