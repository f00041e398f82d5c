/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recording of each step of a request, for block.c: inlined, since it is on the way of every
 * request. What is recorded, and how readers get it, is in block_stats.h. The device's lock is
 * held, and its wait_count is what it is after the step.
 */
#pragma once

#include "kernel/block.h"
#include "stats/devstat_record.h"

DEVSTAT_INLINE devstat_trans_flags block_stats_kind(enum block_kind kind)
{
    static const devstat_trans_flags kinds[] = {
        [BLOCK_READ] = DEVSTAT_READ,
        [BLOCK_WRITE] = DEVSTAT_WRITE,
        [BLOCK_FLUSH] = DEVSTAT_NO_DATA,
        [BLOCK_FREE] = DEVSTAT_FREE,
    };

    return __builtin_expect(kind == BLOCK_READ, 1) ? DEVSTAT_READ : kinds[kind];
}

/* REQUEST came to wait, at its `submitted`. */
DEVSTAT_INLINE void block_stats_wait(struct block_request *request)
{
    struct block_device *device = request->device;

    if (device->wait_count == 1)
        device->stats.wait_since = request->submitted;
}

/* REQUEST has left the wait queue. */
DEVSTAT_INLINE void block_stats_leave(struct block_device *device,
                                      const struct block_request *request, uint64_t now)
{
    struct block_stats *stats = &device->stats;

    stats->waited_ns += now - request->submitted;
    stats->wait_last = now;
    if (device->wait_count == 0)
        stats->wait_ns += now - stats->wait_since;
}

/*
 * It was started, at its `started`. The sequences stay: start_ns is stored before busy_count, and
 * who copies the record from front to back reads it after that, so that the two cannot be torn.
 */
DEVSTAT_INLINE void block_stats_start(struct block_request *request)
{
    struct block_device *device = request->device;

    block_stats_leave(device, request, request->started);
    devstat_start(&device->stats.devstat, request->started);
}

/* It has ended, at its `ended`; block.c ends nothing that it has not started. */
DEVSTAT_INLINE void block_stats_end(struct block_request *request)
{
    struct block_stats *stats = &request->device->stats;

    if (__builtin_expect(request->error != 0, 0))
        evcnt_incr(&stats->errors);
    devstat_begin_change(&stats->devstat);
    devstat_end(&stats->devstat, (uint32_t)block_bytes(request) - request->resid,
                DEVSTAT_TAG_SIMPLE, block_stats_kind(request->kind), request->ended,
                request->started);
    devstat_end_change(&stats->devstat);
}

/* It ended without having been started. */
DEVSTAT_INLINE void block_stats_abandon(struct block_request *request)
{
    struct block_device *device = request->device;

    block_stats_leave(device, request, request->ended);
    evcnt_incr(&device->stats.errors);
}
