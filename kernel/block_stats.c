/* SPDX-License-Identifier: BSD-2-Clause */
/* The one recording of each request. */
#include "kernel/block_stats.h"
#include "kernel/block.h"
#include "kernel/clock.h"
#include "lib/errno.h"
#include "stats/kstat_queue.h"

static const devstat_trans_flags transfers[] = {
    [BLOCK_READ] = DEVSTAT_READ,
    [BLOCK_WRITE] = DEVSTAT_WRITE,
    [BLOCK_FLUSH] = DEVSTAT_NO_DATA,
    [BLOCK_FREE] = DEVSTAT_FREE,
};

/* A consistent copy, with the queues up to now. */
static int snapshot(kstat_t *kstat, void *buffer, int direction)
{
    struct block_device *device = kstat->ks_private;
    uintptr_t state;
    uint64_t now;

    if (direction == KSTAT_WRITE)
        return EACCES;
    state = spinlock_acquire(&device->lock);
    now = clock_now();
    kstat_queue_copy(buffer, &device->stats.io, (hrtime_t)now);
    spinlock_release(&device->lock, state);
    kstat->ks_snaptime = (hrtime_t)now;
    return 0;
}

int block_stats_attach(struct block_device *device, const struct block_type *type)
{
    struct block_stats *stats = &device->stats;
    kstat_t *kstat = kstat_create(device->driver->name, (int)device->unit, device->name, "disk",
                                  KSTAT_TYPE_IO, 1, KSTAT_FLAG_VIRTUAL);
    hrtime_t now = (hrtime_t)clock_now();

    if (!kstat)
        return -ENOMEM;
    stats->io = (kstat_io_t){.wlastupdate = now, .rlastupdate = now};
    stats->kstat = kstat;
    kstat->ks_data = &stats->io;
    kstat->ks_private = device;
    kstat->ks_snapshot = snapshot;
    kstat_install(kstat);
    devstat_add_entry(&stats->devstat, device->driver->name, (int)device->unit, device->block_size,
                      DEVSTAT_ALL_SUPPORTED, type->type, type->priority);
    evcnt_attach_dynamic(&stats->errors, EVCNT_TYPE_MISC, NULL, device->name, "errors");
    evcnt_attach_dynamic(&stats->timeouts, EVCNT_TYPE_MISC, NULL, device->name, "timeouts");
    evcnt_attach_dynamic(&stats->retries, EVCNT_TYPE_MISC, NULL, device->name, "retries");
    evcnt_attach_dynamic(&stats->resets, EVCNT_TYPE_MISC, NULL, device->name, "resets");
    return 0;
}

void block_stats_wait(struct block_request *request)
{
    kstat_waitq_enter_at(&request->device->stats.io, (hrtime_t)request->submitted);
}

void block_stats_start(struct block_request *request)
{
    struct block_stats *stats = &request->device->stats;

    kstat_waitq_to_runq_at(&stats->io, (hrtime_t)request->started);
    devstat_start_transaction_held(&stats->devstat, request->started);
}

void block_stats_end(struct block_request *request)
{
    struct block_stats *stats = &request->device->stats;
    uint32_t bytes = (uint32_t)block_bytes(request) - request->resid;

    kstat_runq_exit_at(&stats->io, (hrtime_t)request->ended);
    if (request->kind == BLOCK_READ) {
        stats->io.reads++;
        stats->io.nread += bytes;
    } else if (request->kind == BLOCK_WRITE) {
        stats->io.writes++;
        stats->io.nwritten += bytes;
    }
    devstat_end_transaction_held(&stats->devstat, bytes, DEVSTAT_TAG_SIMPLE,
                                 transfers[request->kind], request->ended, request->started);
    if (request->error != 0)
        evcnt_incr(&stats->errors);
}

void block_stats_abandon(struct block_request *request)
{
    struct block_stats *stats = &request->device->stats;

    kstat_waitq_exit_at(&stats->io, (hrtime_t)request->ended);
    evcnt_incr(&stats->errors);
}
