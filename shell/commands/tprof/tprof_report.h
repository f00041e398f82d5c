/* SPDX-License-Identifier: BSD-2-Clause */
/* tprof_report: what a profile holds, as text: by function, as collapsed stacks, and the counts of
 * what was lost. */
#ifndef SHELL_TPROF_REPORT_H
#define SHELL_TPROF_REPORT_H

#include <stdbool.h>
#include "shell/commands/pmc/pmc_events.h"

/*
 * A table for each event: percentage of its samples, samples, whether outside the kernel, function.
 * CPUS: a line for each CPU's samples, with its number. At most ROWS functions (0: all). CLEAR: the
 * profile counts anew. 0, or -ENOMEM.
 */
int tprof_report_functions(const struct pmc_events *events, bool cpus, unsigned rows, bool clear);

/*
 * `stacks:`, then a line for each chain of calls: a;b;c COUNT, from the outermost function to the
 * sampled one, and nothing behind. With several events each stack begins with its event's name,
 * with CPUS behind that with its CPU.
 */
void tprof_report_stacks(const struct pmc_events *events, bool cpus);

/* The figures of tprof(8). */
void tprof_report_statistics(void);

#endif
