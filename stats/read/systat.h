/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The screen of `systat vmstat`: one page about the whole system, from what happened in one
 * interval. Numbers that do not fit become thousands and millions, then stars; zero is blank.
 *
 * A plain screen has 23 lines of at most 79 characters: CPU shares and a graph of them, threads,
 * events per second, memory, the disks side by side, and the interrupt lines down the right side. A
 * larger one has more interrupts, with longer names; a smaller one is the upper left of that.
 */
#ifndef STATS_SYSTAT_H
#define STATS_SYSTAT_H

#include "stats/read/iostat_bsd.h"

#define SYSTAT_LINES      23
#define SYSTAT_COLUMNS    79
#define SYSTAT_DISKS_MAX  7
#define SYSTAT_INTERRUPTS 64 /* at most; a plain screen shows 19 */

struct systat_interrupt {
    char name[32];
    uint64_t count; /* in the interval */
};

struct systat_record {
    unsigned lines, columns; /* of the screen; 0: of a plain one */
    uint64_t uptime_ns;
    struct iostat_bsd_system system; /* the interval, and what the CPUs did in it */
    unsigned cpus;
    uint64_t threads_running, threads_ready, threads_sleeping;
    /* Events in the interval. */
    uint64_t switches, traps, soft_interrupts, cross_calls, mutex_waits, tty_in, tty_out;
    uint64_t memory_total, memory_free; /* bytes */
    const struct iostat_bsd_device *disks;
    size_t disk_count;
    const struct systat_interrupt *interrupts; /* lines, those to be shown first first */
    size_t interrupt_count;
    uint64_t interrupts_total; /* of all lines, shown or not */
};

/* Hands over the lines, each with LINE_END and a newline. */
void systat_print(const struct systat_record *record, const char *line_end, text_put *put,
                  void *arg);

/* VALUE right-justified in WIDTH characters as the screen shows numbers. */
void systat_number(char *out, uint64_t value, unsigned width);

#endif
