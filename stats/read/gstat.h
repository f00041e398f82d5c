/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of gstat, from two copies of each device's devstat record:
 *
 * dT: 1.002s  w: 1.000s
 *  L(q)  ops/s    r/s   kBps   ms/r    w/s   kBps   ms/w   %busy Name
 *     1     16     12     96   31.2      4     32  0.750   31.0| ramd0
 *
 * Milliseconds have three decimals below 1, none from 1000 on, else one.
 */
#ifndef STATS_GSTAT_H
#define STATS_GSTAT_H

#include "stats/read/iostat_bsd.h"

struct gstat_layout {
    bool colors;  /* %busy in green, magenta above 50, red above 80 */
    bool deletes; /* -d */
    bool others;  /* -o */
    bool active;  /* -a: only what was busy for at least 0.1 % */
    bool sizes;   /* -s: also the KB of one operation */
};

/* ELAPSED is what went by, INTERVAL what was asked for, ns; FILTER may be NULL. */
void gstat_print_heading(const struct gstat_layout *layout, uint64_t elapsed, uint64_t interval,
                         const char *filter, const char *line_end, text_put *put, void *arg);
/* A device. One whose copy was torn has a * before its name. */
void gstat_print_row(const struct gstat_layout *layout, const struct iostat_bsd_device *device,
                     const char *line_end, text_put *put, void *arg);

/* The same with commas, and full names in the heading; TIME begins each line. */
void gstat_print_csv_heading(const struct gstat_layout *layout, text_put *put, void *arg);
void gstat_print_csv_row(const struct gstat_layout *layout, const char *time,
                         const struct iostat_bsd_device *device, text_put *put, void *arg);

#endif
