/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recording of each step of a request, for block.c: inlined, since it is on the way of every
 * request. What is recorded, and how readers get it, is in block_stats.h. The device's lock is
 * held.
 */
#pragma once

#include "kernel/block.h"
#include "stats/devstat_record.h"

/* REQUEST, the next of those that waited, has left the wait queue. */
DEVSTAT_INLINE void block_stats_leave(struct block_device *device,
                                      const struct block_request *request, uint64_t now)
{
    struct block_stats *stats = &device->stats;
    uint64_t since = request->submitted, last = stats->wait_last;

    stats->waited_ns += now - since;
    stats->wait_ns += now - (since > last ? since : last);
    stats->wait_last = now;
}

/*
 * It was started, at NOW. The sequences stay: start_ns is stored before busy_count, and who copies
 * the record from front to back reads it after that, so that the two cannot be torn.
 */
DEVSTAT_INLINE void block_stats_start(struct block_device *device,
                                      const struct block_request *request, uint64_t now)
{
    struct devstat *ds = &device->stats.devstat;

    block_stats_leave(device, request, now);
    if (ds->busy_count == 0)
        DEVSTAT_SET(ds->start_ns, now);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

/* One more runs: how many. */
DEVSTAT_INLINE uint32_t block_stats_run(struct block_device *device)
{
    return (uint32_t)++device->stats.devstat.busy_count;
}

/* It has ended, at NOW, and does not run any more; block.c ends nothing that it has not started. */
DEVSTAT_INLINE void block_stats_end(struct block_device *device,
                                    const struct block_request *request, uint64_t now)
{
    struct block_stats *stats = &device->stats;
    /* Fewer than 2^31; MIPS holds such a number as a signed one. */
    uint64_t bytes = (uint64_t)(int32_t)(request->count * device->block_size - request->resid);

    if (__builtin_expect(request->error != 0, 0))
        evcnt_incr(&stats->errors);
    if (__builtin_expect(request->kind == BLOCK_READ, 1))
        devstat_end_started(&stats->devstat, bytes, DEVSTAT_READ, now, request->started);
    else if (request->kind == BLOCK_WRITE)
        devstat_end_started(&stats->devstat, bytes, DEVSTAT_WRITE, now, request->started);
    else if (request->kind == BLOCK_FREE)
        devstat_end_started(&stats->devstat, bytes, DEVSTAT_FREE, now, request->started);
    else
        devstat_end_started(&stats->devstat, bytes, DEVSTAT_NO_DATA, now, request->started);
}

/* It ended without having been started. */
DEVSTAT_INLINE void block_stats_abandon(struct block_request *request)
{
    struct block_device *device = request->device;

    block_stats_leave(device, request, request->ended);
    evcnt_incr(&device->stats.errors);
}
