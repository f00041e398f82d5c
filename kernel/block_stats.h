/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is counted of a block device: the only place where requests are. Each step of a request is
 * told here once, with its timestamp, the device's lock held.
 *
 * kstat's wait queue holds what waits, its run queue what the driver has; a devstat transaction
 * lasts from a request's start to its end. The kstat's operations, bytes and run queue are
 * therefore made from the devstat when somebody reads them, and the rest from the sums below. The
 * length of a queue, summed over time, is the sum of the times that each request spent in it: what
 * is in a queue now is added by the reader. As requests leave the wait queue in the order in which
 * they came, what each adds to the time for which that was not empty begins with its submission or
 * with the leave of the one before, whichever is later. Each figure is recorded once.
 */
#pragma once

#include <stdint.h>
#include <sys/devicestat.h>
#include <sys/evcnt.h>
#include <sys/kstat.h>

struct block_device;
struct block_request;

/*
 * What is recorded of requests, and the times taken for that alone. `make bench` builds a kernel
 * without it, with QUIPU_WITHOUT_IO_STATS, to tell what it costs; no other kernel is without.
 */
#ifdef QUIPU_WITHOUT_IO_STATS
#define IO_STATS_KEPT 0
#else
#define IO_STATS_KEPT 1
#endif
#define IO_STATS(statement) (IO_STATS_KEPT ? (void)(statement) : (void)0)

/* What kind of device it is, for those who list devices. */
struct block_type {
    devstat_type_flags type; /* DEVSTAT_TYPE_DIRECT | DEVSTAT_TYPE_IF_IDE */
    devstat_priority priority;
};

struct block_stats {
    struct devstat devstat; /* with the histogram of service times, and how many requests run */
    uint64_t waited_ns;     /* by all that have left the wait queue */
    uint64_t wait_ns;       /* for which the wait queue was not empty, until one left it last */
    uint64_t wait_last;     /* when that was */
    kstat_t *kstat;         /* DRIVER:UNIT:NAME, class disk */
    struct evcnt errors, timeouts, retries, resets;
};

/* 0 or -ENOMEM. Thread context. */
int block_stats_attach(struct block_device *device, const struct block_type *type);

void block_stats_detach(struct block_device *device);

/* What its kstat says now; the time of that. Any context, lock not held. */
uint64_t block_stats_io(struct block_device *device, kstat_io_t *io);
