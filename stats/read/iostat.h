/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * iostat as Solaris lays it out: rows from two readings of a device's kstat of type I/O.
 *
 *                  extended device statistics
 * device    r/s    w/s   kr/s   kw/s wait actv  svc_t  %w  %b
 * ramd0    12.0    4.0   96.0   32.0  0.2  0.5   43.8  10  31
 *
 * wait and actv are the mean lengths of the two queues, svc_t the mean time spent in them in
 * milliseconds, %w and %b how long they were not empty. Everything is computed in whole numbers and
 * rounded once, when it is printed. This layer lays out; reading and waiting belong to the command.
 */
#ifndef STATS_IOSTAT_H
#define STATS_IOSTAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/text_row.h"

#define IOSTAT_NAME_MAX 31

/* A device at a moment; all 0 is a device before it did anything. */
struct iostat_reading {
    char name[IOSTAT_NAME_MAX + 1];
    uint64_t time; /* ns: when it was read, or, as the first reading, when it was created */
    uint64_t nread, nwritten;
    uint32_t reads, writes;
    uint64_t wtime, wlentime, rtime, rlentime;
    uint32_t soft, hard, transport; /* errors */
};

struct iostat_layout {
    bool extended;     /* -x: the table above; without it the short one */
    bool name_last;    /* -n */
    bool commas;       /* -r */
    bool totals;       /* -I: how many, not how many a second */
    bool megabytes;    /* -M */
    bool skip_zero;    /* -z */
    bool errors;       /* -e: numbers of errors since boot; without extended only those */
    bool tty, cpu;     /* -t, -c: in the long table at the end of its first row, but for -n */
    bool disks, usage; /* -d, -D: what the short form says of a disk */
    size_t name_width; /* of the longest name; see iostat_name_width */
};

/* At least 6, at most 24. */
size_t iostat_name_width(const struct iostat_reading *readings, size_t count);

/* What the console and the CPUs did. */
struct iostat_system {
    uint64_t tty_in, tty_out;          /* characters between the two readings */
    uint64_t user, system, wait, idle; /* ns of all CPUs, likewise */
    uint64_t elapsed;                  /* ns */
};

/* With -n what the console and the CPUs did stands above the devices, not beside them. */
void iostat_print_system(const struct iostat_layout *layout, const struct iostat_system *system,
                         text_put *put, void *arg);
/* The title and the headings. */
void iostat_print_heading(const struct iostat_layout *layout, text_put *put, void *arg);
/* What a device did between two readings; SYSTEM in the first row only, else NULL. False if the row
 * was left out. */
bool iostat_print_row(const struct iostat_layout *layout, const struct iostat_reading *before,
                      const struct iostat_reading *now, const struct iostat_system *system,
                      text_put *put, void *arg);

/*
 * Without -x: what the console and the CPUs did, and the devices beside each other.
 *
 *    tty       ramd0           cpu
 *  tin tout kps tps serv   us sy dt id
 *    1   24 128  16   44    0  2  0 98
 */
#define IOSTAT_SHORT 4 /* devices at most, unless others are asked for */
void iostat_print_short_heading(const struct iostat_layout *layout,
                                const struct iostat_reading *readings, size_t count, text_put *put,
                                void *arg);
void iostat_print_short_row(const struct iostat_layout *layout, const struct iostat_system *system,
                            const struct iostat_reading *before, const struct iostat_reading *now,
                            size_t count, text_put *put, void *arg);

/* For iostat_short.c: the pieces that both forms have. With -r one after the other with commas
 * between, of which COMMAS has those within a piece. */
void iostat_put_text(struct text_row *row, const struct iostat_layout *layout, const char *columns,
                     const char *commas);
/* Behind a blank. */
void iostat_put_value(struct text_row *row, const struct iostat_layout *layout, uint64_t value,
                      unsigned decimals, size_t width);
/* The first or the second line above what follows; of tty and cpu as the layout says. */
void iostat_put_system_heading(struct text_row *row, const struct iostat_layout *layout,
                               bool second);
void iostat_put_tty(struct text_row *row, const struct iostat_layout *layout,
                    const struct iostat_system *system);
void iostat_put_cpu(struct text_row *row, const struct iostat_layout *layout,
                    const struct iostat_system *system);

#endif
