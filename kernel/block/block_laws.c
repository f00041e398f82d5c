/* SPDX-License-Identifier: BSD-2-Clause */
/* Laws of block devices: no request is forgotten, and the bytes are those that the drivers saw. */
#include "kernel/block/block.h"
#include "kernel/base/law.h"
#include "lib/string.h"

static void *next_disk(void *device)
{
    return IO_STATS_KEPT ? block_next_device(device) : NULL;
}

static void name_disk(const void *device, char *buffer, size_t size)
{
    strlcpy(buffer, ((const struct block_device *)device)->name, size);
}

static const struct law_subjects disks = {next_disk, name_disk};

static uint64_t length(const struct block_queue *queue)
{
    const struct block_request *request;
    uint64_t count = 0;

    TAILQ_FOREACH (request, queue, link)
        count++;
    return count;
}

static uint64_t ended(void *subject)
{
    const struct devstat *ds = &((const struct block_device *)subject)->stats.devstat;

    return ds->num_reads + ds->num_writes + ds->num_frees + ds->num_other;
}

static uint64_t submitted(void *subject)
{
    return ((const struct block_device *)subject)->requests;
}

static uint64_t ended_or_queued(void *subject)
{
    const struct block_device *device = subject;

    return ended(subject) + length(&device->waiting) + length(&device->running) +
           length(&device->again);
}

static uint64_t *submitted_word(void *subject)
{
    return &((struct block_device *)subject)->requests;
}

LAW(disk_requests, .name = "disk-requests", .subjects = &disks, .left = "submitted",
    .right = "ended + in the queues", .get_left = submitted, .get_right = ended_or_queued,
    .word = submitted_word);

static uint64_t ended_or_busy(void *subject)
{
    const struct devstat *ds = &((const struct block_device *)subject)->stats.devstat;

    return ended(subject) + (uint64_t)ds->busy_count;
}

LAW(disk_in_flight, .name = "disk-in-flight", .subjects = &disks, .left = "submitted",
    .right = "ended + in flight", .get_left = submitted, .get_right = ended_or_busy,
    .word = submitted_word);

/* Their number is kept in 32 bits, so the requests are what is skewed. */
static uint64_t left_queue(void *subject)
{
    const struct block_device *device = subject;

    return device->requests - ended(subject) - length(&device->waiting);
}

static uint64_t in_service(void *subject)
{
    return ((const struct block_device *)subject)->in_service;
}

LAW(disk_in_service, .name = "disk-in-service", .subjects = &disks,
    .left = "submitted - ended - waiting", .right = "in service", .get_left = left_queue,
    .get_right = in_service, .word = submitted_word);

static uint64_t bytes(void *subject)
{
    const struct devstat *ds = &((const struct block_device *)subject)->stats.devstat;

    return ds->bytes_read + ds->bytes_written + ds->bytes_freed;
}

static uint64_t block_laws_moved(void *subject)
{
    return ((const struct block_device *)subject)->moved;
}

static uint64_t *bytes_word(void *subject)
{
    return &((struct block_device *)subject)->stats.devstat.bytes_read;
}

LAW(disk_bytes, .name = "disk-bytes", .subjects = &disks, .left = "of the block layer",
    .right = "of the driver", .get_left = bytes, .get_right = block_laws_moved, .word = bytes_word);

static uint64_t durations(void *subject)
{
    return histogram_total(&((const struct block_device *)subject)->stats.devstat.service);
}

static uint64_t *duration_word(void *subject)
{
    return &((struct block_device *)subject)->stats.devstat.service.bucket[0];
}

static uint64_t ended_in_service(void *subject)
{
    const uint64_t *abandoned = ((const struct block_device *)subject)->stats.abandoned;
    uint64_t served = ended(subject);

    for (int kind = 0; kind < BLOCK_KINDS; kind++)
        served -= abandoned[kind];
    return served;
}

LAW(disk_service, .name = "disk-service", .subjects = &disks, .left = "service times",
    .right = "ended - abandoned", .get_left = durations, .get_right = ended_in_service,
    .word = duration_word);

static uint64_t changes_begun(void *subject)
{
    return ((const struct block_device *)subject)->stats.devstat.sequence1;
}

static uint64_t changes_done(void *subject)
{
    return ((const struct block_device *)subject)->stats.devstat.sequence0;
}

static uint64_t *change_word(void *subject)
{
    return &((struct block_device *)subject)->stats.devstat.sequence1;
}

LAW(disk_changes, .name = "disk-changes", .subjects = &disks, .left = "begun", .right = "complete",
    .get_left = changes_begun, .get_right = changes_done, .word = change_word);
