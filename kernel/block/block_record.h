/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recording of each step of a request, for block.c: inlined, since it is on the way of every
 * request. What is recorded, and how readers get it, is in block_stats.h. The device's lock is
 * held.
 */
#pragma once

#include "kernel/block/block.h"
#include "stats/devstat/devstat_record.h"

/* kstat has no place for any other kind. */
DEVSTAT_INLINE bool block_stats_transfers(const struct block_request *request)
{
    return __builtin_expect(request->kind <= BLOCK_WRITE, 1);
}

/*
 * It was submitted, at NOW, and waits: a transaction begins. The sequences stay: start_ns is stored
 * before busy_count, and who copies the record from front to back reads it after that, so that the
 * two cannot be torn.
 */
DEVSTAT_INLINE void block_stats_submit(struct block_device *device, struct block_request *request,
                                       uint64_t now)
{
    struct block_stats *stats = &device->stats;
    struct devstat *ds = &stats->devstat;
    int32_t outstanding = ds->busy_count;

    if (outstanding == 0) {
        stats->first = request;
        request->waiting = 1;
        DEVSTAT_SET(ds->start_ns, now);
        __atomic_thread_fence(__ATOMIC_RELEASE);
        DEVSTAT_SET(ds->busy_count, 1);
        return;
    }
    if (__builtin_expect(stats->first == request, 0)) /* was it, and comes again */
        stats->first = NULL;
    request->waiting = (uint32_t)++outstanding - device->in_service;
    DEVSTAT_SET(ds->busy_count, outstanding);
}

/* A read or a write, the next of those that waited, has left the wait queue. */
DEVSTAT_INLINE void block_stats_leave(struct block_stats *stats,
                                      const struct block_request *request, uint64_t now)
{
    uint64_t since = request->submitted, last = stats->wait_last;

    stats->waited_ns += now - since;
    stats->wait_ns += now - (since > last ? since : last);
    stats->wait_last = now;
}

/* Until NOW the device was busy, but with no read and no write. */
DEVSTAT_INLINE void block_stats_idle(struct block_stats *stats, uint64_t now)
{
    uint64_t since = stats->devstat.start_ns, last = stats->run_last;

    stats->idle_ns += now - (since > last ? since : last);
}

/* It is started, at NOW; not yet counted in in_service. */
DEVSTAT_INLINE void block_stats_start(struct block_device *device,
                                      const struct block_request *request, uint64_t now)
{
    struct block_stats *stats = &device->stats;

    if (!block_stats_transfers(request)) {
        stats->others++;
    } else if (__builtin_expect(stats->first == request, 1)) {
        stats->first_ns += now - request->submitted;
        stats->wait_last = now;
    } else {
        block_stats_leave(stats, request, now);
        if (device->in_service == stats->others)
            block_stats_idle(stats, now);
    }
}

/* What is neither a read nor a write has ended; counted in in_service no more. */
DEVSTAT_INLINE void block_stats_end_other(struct block_device *device,
                                          const struct block_request *request, uint64_t bytes,
                                          uint64_t now)
{
    struct block_stats *stats = &device->stats;

    stats->others--;
    if (stats->devstat.busy_count == 1)
        block_stats_idle(stats, now);
    if (request->kind == BLOCK_FREE)
        devstat_end_started(&stats->devstat, bytes, DEVSTAT_FREE, now, request->submitted,
                            request->started);
    else
        devstat_end_started(&stats->devstat, bytes, DEVSTAT_NO_DATA, now, request->submitted,
                            request->started);
}

/* It has failed: the only place where that is counted, and its kind, if the driver tells such. */
DEVSTAT_INLINE void block_stats_fail(struct block_device *device,
                                     const struct block_request *request)
{
    evcnt_incr(&device->stats.errors);
    if (device->faults >> request->fault & 1)
        evcnt_incr(&device->stats.faults[request->fault]);
}

/* It has ended, at NOW, and does not run any more; block.c ends nothing that it has not started. */
DEVSTAT_INLINE void block_stats_end(struct block_device *device,
                                    const struct block_request *request, uint64_t now)
{
    struct block_stats *stats = &device->stats;
    /* Fewer than 2^31; MIPS holds such a number as a signed one. */
    uint64_t bytes = (uint64_t)(int32_t)(request->count * device->block_size - request->resid);

    if (__builtin_expect(request->error != 0, 0))
        block_stats_fail(device, request);
    if (__builtin_expect(request->kind == BLOCK_READ, 1)) {
        stats->run_last = now;
        devstat_end_started(&stats->devstat, bytes, DEVSTAT_READ, now, request->submitted,
                            request->started);
    } else if (request->kind == BLOCK_WRITE) {
        stats->run_last = now;
        devstat_end_started(&stats->devstat, bytes, DEVSTAT_WRITE, now, request->submitted,
                            request->started);
    } else {
        block_stats_end_other(device, request, bytes, now);
    }
}
