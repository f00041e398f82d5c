/* SPDX-License-Identifier: BSD-2-Clause */
/* The one recording of each request. */
#include "kernel/block_stats.h"
#include "kernel/block.h"
#include "kernel/clock.h"
#include "lib/errno.h"

static uint64_t run_so_far(const struct block_queue *queue, uint64_t now)
{
    const struct block_request *request;
    uint64_t sum = 0;

    TAILQ_FOREACH (request, queue, link)
        sum += now - request->started;
    return sum;
}

static uint64_t waited_so_far(const struct block_queue *queue, uint64_t now)
{
    const struct block_request *request;
    uint64_t sum = 0;

    TAILQ_FOREACH (request, queue, link)
        sum += now - request->submitted;
    return sum;
}

static uint_t length(const struct block_queue *queue)
{
    const struct block_request *request;
    uint_t count = 0;

    TAILQ_FOREACH (request, queue, link)
        count++;
    return count;
}

/* For how long the wait queue, which is not empty, has been so since one left it last. */
static uint64_t waiting_since_last(const struct block_device *device, uint64_t now)
{
    uint64_t since = TAILQ_FIRST(&device->waiting)->submitted;

    return now - (since > device->stats.wait_last ? since : device->stats.wait_last);
}

/* What has been, and what is in the queues up to NOW. Device's lock held. */
static void make_io(kstat_io_t *io, const struct block_device *device, uint64_t now)
{
    const struct block_stats *stats = &device->stats;
    const struct devstat *ds = &stats->devstat;
    uint_t waiting = length(&device->waiting);
    uint64_t run = ds->busy_ns, wait = stats->wait_ns, run_length = 0, run_last = ds->last_ns;

    for (unsigned kind = 0; kind < DEVSTAT_N_TRANS_FLAGS; kind++)
        run_length += ds->duration_ns[kind];
    run_length += run_so_far(&device->running, now) + run_so_far(&device->again, now);
    if (run_last < ds->creation_ns)
        run_last = ds->creation_ns;
    if (ds->busy_count > 0) {
        run += now - ds->start_ns;
        run_last = now;
    }
    if (waiting > 0)
        wait += waiting_since_last(device, now);
    *io = (kstat_io_t){
        .nread = ds->bytes_read,
        .nwritten = ds->bytes_written,
        .reads = (uint_t)ds->num_reads,
        .writes = (uint_t)ds->num_writes,
        .wtime = (hrtime_t)wait,
        .wlentime = (hrtime_t)(stats->waited_ns + waited_so_far(&device->waiting, now)),
        .wlastupdate = (hrtime_t)(waiting > 0 ? now : stats->wait_last),
        .rtime = (hrtime_t)run,
        .rlentime = (hrtime_t)run_length,
        .rlastupdate = (hrtime_t)run_last,
        .wcnt = waiting,
        .rcnt = (uint_t)ds->busy_count,
    };
}

uint64_t block_stats_io(struct block_device *device, kstat_io_t *io)
{
    uintptr_t state = spinlock_acquire(&device->lock);
    uint64_t now = clock_now();

    make_io(io, device, now);
    spinlock_release(&device->lock, state);
    return now;
}

static int snapshot(kstat_t *kstat, void *buffer, int direction)
{
    if (direction == KSTAT_WRITE)
        return EACCES;
    kstat->ks_snaptime = (hrtime_t)block_stats_io(kstat->ks_private, buffer);
    return 0;
}

int block_stats_attach(struct block_device *device, const struct block_type *type)
{
    struct block_stats *stats = &device->stats;
    kstat_t *kstat = kstat_create(device->driver->name, (int)device->unit, device->name, "disk",
                                  KSTAT_TYPE_IO, 1, KSTAT_FLAG_VIRTUAL);

    if (!kstat)
        return -ENOMEM;
    stats->wait_last = clock_now();
    stats->kstat = kstat;
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

void block_stats_detach(struct block_device *device)
{
    struct block_stats *stats = &device->stats;

    kstat_delete(stats->kstat);
    devstat_remove_entry(&stats->devstat);
    evcnt_detach(&stats->errors);
    evcnt_detach(&stats->timeouts);
    evcnt_detach(&stats->retries);
    evcnt_detach(&stats->resets);
}
