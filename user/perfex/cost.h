/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an event costs, in clocks: a table that is a file, perfex_costs(5). A line is an event with
 * its typical, least and greatest cost, or `clock` and the MHz that make clocks seconds; `#` begins
 * a comment.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/hwperfmacros.h>

#define COST_FILE "/etc/perfex.costs"

struct cost {
    bool known;
    double typical, minimum, maximum; /* clocks */
};

struct cost_table {
    double mhz;
    struct cost of[HWPERF_EVENTMAX];
};

/* False, and one line on standard error says why. */
bool perfex_costs_load(struct cost_table *table, const char *path);
/* In the same form. */
void perfex_costs_print(const struct cost_table *table, FILE *out);
/* Seconds of COUNT times CLOCKS. */
double perfex_costs_seconds(const struct cost_table *table, double count, double clocks);
