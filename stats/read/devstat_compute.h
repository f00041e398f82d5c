/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a device did between two copies of its record, in whole numbers: every metric of devstat(3)
 * is an integer or a fraction, and stays one until it is printed.
 *
 * Bytes and blocks are of reads, writes and frees; transfers include the others. K is 1024, M its
 * square. Blocks are of the device's size, or of 512 bytes if it has none. Differences are taken
 * modulo 2^64, but a busy time that went back is 0. A rate over no time is 0.
 */
#ifndef STATS_DEVSTAT_COMPUTE_H
#define STATS_DEVSTAT_COMPUTE_H

#include <devstat.h>

/* An integer, or count * times / (by * over), and that per second if it is a rate. */
struct devstat_value {
    bool whole; /* an integer in count */
    bool rate;  /* what came in BY nanoseconds */
    uint64_t count;
    uint64_t times;
    uint64_t by; /* 0: the value is 0 */
    uint64_t over;
};

/* -1 for a NULL current or a metric that has no value. PREVIOUS NULL: since it was created. */
int devstat_compute(const struct devstat *current, const struct devstat *previous,
                    uint64_t elapsed_ns, devstat_metric metric, struct devstat_value *out);

/* The value times 10^decimals (at most 3), rounded to the nearest, halves to even as printf does;
 * UINT64_MAX if it is larger. */
uint64_t devstat_value_scaled(const struct devstat_value *value, unsigned decimals);

/* Both at once; 0 where devstat_compute fails. */
uint64_t devstat_metric_scaled(const struct devstat *current, const struct devstat *previous,
                               uint64_t elapsed_ns, devstat_metric metric, unsigned decimals);

#endif
