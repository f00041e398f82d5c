/* SPDX-License-Identifier: BSD-2-Clause */
/* What is seldom recorded of requests, and what readers get. */
#include "kernel/block/block_stats.h"
#include "kernel/block/block.h"
#include "kernel/block/block_record.h"
#include "kernel/time/clock.h"
#include "lib/errno.h"

/* The reads and writes in some of a device's lists, up to a time. */
struct held {
    uint_t count;
    uint64_t first;  /* when the first of them was submitted */
    uint64_t length; /* the sum of the times since they were submitted */
};

static void block_stats_hold(struct held *held, const struct block_queue *queue, uint64_t now)
{
    const struct block_request *request;

    TAILQ_FOREACH (request, queue, link) {
        if (!block_stats_transfers(request))
            continue;
        if (held->count++ == 0)
            held->first = request->submitted;
        held->length += now - request->submitted;
    }
}

static uint64_t block_stats_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* How long the device has been busy, but with no read and no write, up to NOW. */
static uint64_t block_stats_idle_so_far(const struct block_stats *stats, bool running, uint64_t now)
{
    const struct devstat *ds = &stats->devstat;

    if (ds->busy_count == 0 || running)
        return stats->first_ns + stats->idle_ns;
    return stats->first_ns + stats->idle_ns + now -
           block_stats_later(ds->start_ns, stats->run_last);
}

/* What has been, and what is in the queues up to NOW. Device's lock held. */
static void block_stats_make_io(kstat_io_t *io, const struct block_device *device, uint64_t now)
{
    const struct block_stats *stats = &device->stats;
    const struct devstat *ds = &stats->devstat;
    struct held waiting = {.count = 0}, running = {.count = 0};
    uint64_t wait = stats->first_ns + stats->wait_ns, busy = ds->busy_ns, wait_length, length;

    block_stats_hold(&waiting, &device->waiting, now);
    block_stats_hold(&running, &device->running, now);
    block_stats_hold(&running, &device->again, now);
    if (waiting.count > 0)
        wait += now - block_stats_later(waiting.first, stats->wait_last);
    wait_length = stats->first_ns + stats->waited_ns + waiting.length;
    length = ds->duration_ns[DEVSTAT_READ] + ds->duration_ns[DEVSTAT_WRITE] + waiting.length +
             running.length;
    if (ds->busy_count > 0)
        busy += now - ds->start_ns;
    *io = (kstat_io_t){
        .nread = ds->bytes_read,
        .nwritten = ds->bytes_written,
        .reads = (uint_t)(ds->num_reads - stats->abandoned[BLOCK_READ]),
        .writes = (uint_t)(ds->num_writes - stats->abandoned[BLOCK_WRITE]),
        .wtime = (hrtime_t)wait,
        .wlentime = (hrtime_t)wait_length,
        .wlastupdate = (hrtime_t)(waiting.count > 0 ? now : stats->wait_last),
        .rtime = (hrtime_t)(busy - block_stats_idle_so_far(stats, running.count > 0, now)),
        .rlentime = (hrtime_t)(length - wait_length),
        .rlastupdate = (hrtime_t)(running.count > 0 ? now : stats->run_last),
        .wcnt = waiting.count,
        .rcnt = running.count,
    };
}

bool block_stats_tells(const struct block_device *device, enum block_fault fault)
{
    return (device->faults >> fault & 1) != 0;
}

/* No tag, since the device has not got it, and no time of service. */
void block_stats_abandon(const struct block_request *request)
{
    static const devstat_trans_flags flags[] = {[BLOCK_READ] = DEVSTAT_READ,
                                                [BLOCK_WRITE] = DEVSTAT_WRITE,
                                                [BLOCK_FLUSH] = DEVSTAT_NO_DATA,
                                                [BLOCK_FREE] = DEVSTAT_FREE};
    struct block_stats *stats = &request->device->stats;
    struct devstat *ds = &stats->devstat;
    uint64_t now = request->ended;

    block_stats_fail(request->device, request);
    stats->abandoned[request->kind]++;
    if (block_stats_transfers(request))
        block_stats_leave(stats, request, now);
    if (ds->busy_count == 1)
        block_stats_idle(stats, now);
    devstat_begin_change(ds);
    devstat_add_operation(ds, 0, flags[request->kind]);
    DEVSTAT_ADD(ds->duration_ns[flags[request->kind]], now - request->submitted);
    devstat_leave(ds, now);
    devstat_end_change(ds);
}

uint64_t block_stats_io(struct block_device *device, kstat_io_t *io)
{
    uintptr_t state = spinlock_acquire(&device->lock);
    uint64_t now = clock_now();

    block_stats_make_io(io, device, now);
    spinlock_release(&device->lock, state);
    return now;
}

static int block_stats_snapshot(kstat_t *kstat, void *buffer, int direction)
{
    if (direction == KSTAT_WRITE)
        return EACCES;
    kstat->ks_snaptime = (hrtime_t)block_stats_io(kstat->ks_private, buffer);
    return 0;
}

static const char *const fault_names[BLOCK_FAULTS] = {
    [BLOCK_FAULT_MEDIA] = "media errors",       [BLOCK_FAULT_NOT_READY] = "not ready",
    [BLOCK_FAULT_NO_DEVICE] = "no device",      [BLOCK_FAULT_RECOVERED] = "recovered errors",
    [BLOCK_FAULT_ILLEGAL] = "illegal requests", [BLOCK_FAULT_TRANSPORT] = "transport errors"};

int block_stats_attach(struct block_device *device, const struct block_type *type)
{
    struct block_stats *stats = &device->stats;
    kstat_t *kstat = kstat_create(device->driver->name, (int)device->unit, device->name, "disk",
                                  KSTAT_TYPE_IO, 1, KSTAT_FLAG_VIRTUAL);

    if (!kstat)
        return -ENOMEM;
    stats->wait_last = stats->run_last = clock_now();
    stats->kstat = kstat;
    kstat->ks_private = device;
    kstat->ks_snapshot = block_stats_snapshot;
    kstat_install(kstat);
    devstat_add_entry(&stats->devstat, device->driver->name, (int)device->unit, device->block_size,
                      type->tagged ? DEVSTAT_ALL_SUPPORTED : DEVSTAT_NO_ORDERED_TAGS, type->type,
                      type->priority);
    evcnt_attach_dynamic(&stats->errors, EVCNT_TYPE_MISC, NULL, device->name, "errors");
    evcnt_attach_dynamic(&stats->timeouts, EVCNT_TYPE_MISC, NULL, device->name, "timeouts");
    evcnt_attach_dynamic(&stats->retries, EVCNT_TYPE_MISC, NULL, device->name, "retries");
    evcnt_attach_dynamic(&stats->resets, EVCNT_TYPE_MISC, NULL, device->name, "resets");
    for (unsigned fault = 0; fault < BLOCK_FAULTS; fault++)
        if (block_stats_tells(device, fault))
            evcnt_attach_dynamic(&stats->faults[fault], EVCNT_TYPE_MISC, NULL, device->name,
                                 fault_names[fault]);
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
    for (unsigned fault = 0; fault < BLOCK_FAULTS; fault++)
        if (block_stats_tells(device, fault))
            evcnt_detach(&stats->faults[fault]);
}
