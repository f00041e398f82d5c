/* SPDX-License-Identifier: BSD-2-Clause */
/* Laws of block devices: no request is forgotten, and the bytes are those that the drivers saw. */
#include "kernel/block/block.h"
#include "kernel/base/law.h"
#include "lib/string.h"

static void *block_laws_next_disk(void *device)
{
    return IO_STATS_KEPT ? block_next_device(device) : NULL;
}

static void block_laws_name_disk(const void *device, char *buffer, size_t size)
{
    strlcpy(buffer, ((const struct block_device *)device)->name, size);
}

static const struct law_subjects disks = {block_laws_next_disk, block_laws_name_disk};

static uint64_t block_laws_length(const struct block_queue *queue)
{
    const struct block_request *request;
    uint64_t count = 0;

    TAILQ_FOREACH (request, queue, link)
        count++;
    return count;
}

static uint64_t block_laws_ended(void *subject)
{
    const struct devstat *ds = &((const struct block_device *)subject)->stats.devstat;

    return ds->num_reads + ds->num_writes + ds->num_frees + ds->num_other;
}

static uint64_t block_laws_submitted(void *subject)
{
    return ((const struct block_device *)subject)->requests;
}

static uint64_t block_laws_ended_or_queued(void *subject)
{
    const struct block_device *device = subject;

    return block_laws_ended(subject) + block_laws_length(&device->waiting) +
           block_laws_length(&device->running) + block_laws_length(&device->again);
}

static uint64_t *block_laws_submitted_word(void *subject)
{
    return &((struct block_device *)subject)->requests;
}

LAW(disk_requests, .name = "disk-requests", .subjects = &disks, .left = "submitted",
    .right = "ended + in the queues", .get_left = block_laws_submitted,
    .get_right = block_laws_ended_or_queued, .word = block_laws_submitted_word);

static uint64_t block_laws_ended_or_busy(void *subject)
{
    const struct devstat *ds = &((const struct block_device *)subject)->stats.devstat;

    return block_laws_ended(subject) + (uint64_t)ds->busy_count;
}

LAW(disk_in_flight, .name = "disk-in-flight", .subjects = &disks, .left = "submitted",
    .right = "ended + in flight", .get_left = block_laws_submitted,
    .get_right = block_laws_ended_or_busy, .word = block_laws_submitted_word);

/* Their number is kept in 32 bits, so the requests are what is skewed. */
static uint64_t block_laws_left_queue(void *subject)
{
    const struct block_device *device = subject;

    return device->requests - block_laws_ended(subject) - block_laws_length(&device->waiting);
}

static uint64_t block_laws_in_service(void *subject)
{
    return ((const struct block_device *)subject)->in_service;
}

LAW(disk_in_service, .name = "disk-in-service", .subjects = &disks,
    .left = "submitted - ended - waiting", .right = "in service", .get_left = block_laws_left_queue,
    .get_right = block_laws_in_service, .word = block_laws_submitted_word);

static uint64_t block_laws_bytes(void *subject)
{
    const struct devstat *ds = &((const struct block_device *)subject)->stats.devstat;

    return ds->bytes_read + ds->bytes_written + ds->bytes_freed;
}

static uint64_t block_laws_moved(void *subject)
{
    return ((const struct block_device *)subject)->moved;
}

static uint64_t *block_laws_bytes_word(void *subject)
{
    return &((struct block_device *)subject)->stats.devstat.bytes_read;
}

LAW(disk_bytes, .name = "disk-bytes", .subjects = &disks, .left = "of the block layer",
    .right = "of the driver", .get_left = block_laws_bytes, .get_right = block_laws_moved,
    .word = block_laws_bytes_word);

static uint64_t block_laws_durations(void *subject)
{
    return histogram_total(&((const struct block_device *)subject)->stats.devstat.service);
}

static uint64_t *block_laws_duration_word(void *subject)
{
    return &((struct block_device *)subject)->stats.devstat.service.bucket[0];
}

static uint64_t block_laws_ended_in_service(void *subject)
{
    const uint64_t *abandoned = ((const struct block_device *)subject)->stats.abandoned;
    uint64_t served = block_laws_ended(subject);

    for (int kind = 0; kind < BLOCK_KINDS; kind++)
        served -= abandoned[kind];
    return served;
}

LAW(disk_service, .name = "disk-service", .subjects = &disks, .left = "service times",
    .right = "ended - abandoned", .get_left = block_laws_durations,
    .get_right = block_laws_ended_in_service, .word = block_laws_duration_word);

static uint64_t block_laws_changes_begun(void *subject)
{
    return ((const struct block_device *)subject)->stats.devstat.sequence1;
}

static uint64_t block_laws_changes_done(void *subject)
{
    return ((const struct block_device *)subject)->stats.devstat.sequence0;
}

static uint64_t *block_laws_change_word(void *subject)
{
    return &((struct block_device *)subject)->stats.devstat.sequence1;
}

LAW(disk_changes, .name = "disk-changes", .subjects = &disks, .left = "begun", .right = "complete",
    .get_left = block_laws_changes_begun, .get_right = block_laws_changes_done,
    .word = block_laws_change_word);
