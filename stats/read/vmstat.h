/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of `vmstat -i` and `vmstat -e`, laid out as NetBSD's vmstat(8) lays them out today:
 * the name column as wide as its longest entry, two blanks, totals right-justified in 5 columns or
 * what the longest needs, a blank, rates likewise in 4. Only interrupt tables end with a Total
 * line, only event tables have a type column; every table ends with an empty line.
 *
 * A rate is the count divided by the whole seconds since start-up, truncated; during the first
 * second it is the count itself. Repeated reports repeat totals since start-up: nothing is reset.
 *
 * This layer lays out; options, intervals and the terminal belong to the shell's command.
 */
#ifndef STATS_VMSTAT_H
#define STATS_VMSTAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum vmstat_table {
    VMSTAT_INTERRUPTS, /* -i: counters of type INTR, and their total */
    VMSTAT_EVENTS,     /* -e: counters of all types, and the type of each */
};

struct vmstat_layout {
    enum vmstat_table table;
    bool verbose; /* -v: also counters that are 0 */
    bool tree;    /* -t: each child below its parent, two blanks further in */
};

/* Receives the text piece by piece. */
typedef void vmstat_put(void *arg, const char *text, size_t length);

/*
 * Prints the counters as they are now. 0, or -ENOMEM or -EAGAIN from taking the report, with
 * nothing printed. Thread context.
 *
 * Total sums the rows whose parent is not listed, so that nothing is counted twice: a device's
 * share of an interrupt line is part of the line's count.
 */
int vmstat_print(const struct vmstat_layout *layout, vmstat_put *put, void *arg);

/* The same for a report already taken, with the filters that the layout implies, at an uptime. */
int vmstat_print_report(const struct vmstat_layout *layout, const void *report, size_t size,
                        uint64_t uptime_seconds, vmstat_put *put, void *arg);

#ifdef __cplusplus
}
#endif

#endif
