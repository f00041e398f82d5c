/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * iostat as FreeBSD lays it out: from two copies of each device's devstat record. All devices stand
 * beside each other in a row, with what the console and the CPUs did:
 *
 *        tty           ramd0             cpu
 *  tin  tout  KB/t tps  MB/s  us ni sy in id
 *    1    24  8.00  16  0.12   0  0  2  0 98
 *
 * or, with -x, each on its own. This layer lays out; reading and waiting belong to the command.
 */
#ifndef STATS_IOSTAT_BSD_H
#define STATS_IOSTAT_BSD_H

#include <devstat.h>
#include "lib/text_row.h"

struct iostat_bsd_layout {
    bool extended;  /* -x */
    bool old;       /* -o: blocks and transfers a second, milliseconds a transfer */
    bool totals;    /* -I */
    bool kilobytes; /* -K: blocks of -o are shown in units of 1024 bytes */
    bool skip_idle; /* -z */
    bool tty, cpu;  /* beside the devices; with -x the CPUs are iostat_bsd_print_cpu's */
};

/* A device at two moments; previous NULL: since it was created. */
struct iostat_bsd_device {
    const struct devstat *current, *previous;
    uint64_t elapsed_ns;
};

/* What else the system did meanwhile. */
struct iostat_bsd_system {
    uint64_t elapsed_ns;
    uint64_t tty_in, tty_out;
    uint64_t cpu_ns[CPUSTATES]; /* user, nice, system, interrupt, idle */
};

void iostat_bsd_print_heading(const struct iostat_bsd_layout *layout,
                              const struct iostat_bsd_device *devices, size_t count, text_put *put,
                              void *arg);
/* The row that stands below the heading, or with -x a row for each device. */
void iostat_bsd_print(const struct iostat_bsd_layout *layout,
                      const struct iostat_bsd_system *system,
                      const struct iostat_bsd_device *devices, size_t count, text_put *put,
                      void *arg);

/* The CPUs in lines of their own, which with -x stand above the devices. */
void iostat_bsd_print_cpu(const struct iostat_bsd_system *system, text_put *put, void *arg);

/* "da0", into at least DEVSTAT_NAME_LEN + 12 bytes. */
#define IOSTAT_BSD_NAME_MAX (DEVSTAT_NAME_LEN + 12)
void iostat_bsd_name(char *out, const struct devstat *ds);

#endif
