/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The record of a device as FreeBSD exports it, whose number is 6 (DEVSTAT_VERSION): what its
 * programs find in kern.devstat.all, byte for byte, where pointers and long have 64 bits. It has
 * less than struct devstat of <sys/devicestat.h>, from which it is made.
 *
 * Times are in seconds and 2^-64 of one, since start-up. busy_time goes on to the last end of a
 * transaction, and from busy_from on it is still to be counted if the device is busy. The numbers
 * of starts and ends are modulo 2^32; their difference is what is outstanding. Transactions without
 * data have no bytes here.
 */
#ifndef STATS_DEVSTAT6_H
#define STATS_DEVSTAT6_H

#include <sys/devicestat.h>

#ifdef __cplusplus
extern "C" {
#endif

struct devstat6_time {
    int64_t sec;
    uint64_t frac; /* rounded up: the nanoseconds are frac * 10^9 / 2^64, rounded down */
};

struct devstat6 {
    uint32_t sequence0; /* not sequence1: the record changed while it was copied */
    int32_t allocated;  /* 1 */
    uint32_t start_count;
    uint32_t end_count;
    struct devstat6_time busy_from;
    uint64_t dev_links; /* 0 */
    uint32_t device_number;
    char device_name[DEVSTAT_NAME_LEN];
    int32_t unit_number;
    uint64_t bytes[DEVSTAT_N_TRANS_FLAGS]; /* by devstat_trans_flags, as the next two */
    uint64_t operations[DEVSTAT_N_TRANS_FLAGS];
    struct devstat6_time duration[DEVSTAT_N_TRANS_FLAGS];
    struct devstat6_time busy_time;
    struct devstat6_time creation_time;
    uint32_t block_size;
    uint64_t tag_types[3];
    uint32_t flags;
    uint32_t device_type;
    uint32_t priority;
    uint64_t id; /* 0 */
    uint32_t sequence1;
};

/* A copy of a record as this one. */
void devstat6_make(struct devstat6 *out, const struct devstat *copy);

/* kern.devstat.all: as devstat_export, but with these records. */
int devstat6_export(void *buffer, size_t capacity, size_t *size);

#ifdef __cplusplus
}
#endif

#endif
