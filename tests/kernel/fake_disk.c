/* SPDX-License-Identifier: BSD-2-Clause */
/* The tests' disk: see fake_disk.h. */
#include "tests/kernel/fake_disk.h"
#include "kernel/memory/kmem.h"
#include "lib/errno.h"
#include "lib/string.h"

#define ORDER (sizeof fake_disk->order / sizeof fake_disk->order[0])

struct fake_disk *fake_disk;

static void fake_disk_start(struct block_device *device)
{
    struct block_request *request;

    while (!fake_disk->full && (request = block_next(device)) != NULL) {
        fake_disk->held[fake_disk->held_count++] = request;
        fake_disk->given++;
    }
}

static bool fake_disk_reset(struct block_device *device)
{
    (void)device;
    if (fake_disk->on_reset)
        fake_disk->on_reset();
    fake_disk->held_count = 0;
    fake_disk->resets++;
    return true;
}

static void note_end(struct block_request *request)
{
    fake_disk->order[fake_disk->ended % ORDER] = (unsigned)(request - fake_disk->requests);
    fake_disk->ended++;
}

int fake_disk_attach(unsigned count)
{
    static const struct block_driver driver = {
        .name = "fake", .start = fake_disk_start, .reset = fake_disk_reset};
    static const struct block_type type = {DEVSTAT_TYPE_DIRECT | DEVSTAT_TYPE_IF_OTHER,
                                           DEVSTAT_PRIORITY_DISK, true};
    struct block_request *requests = kmem_zalloc(count * sizeof *requests);

    if (!fake_disk)
        fake_disk = kmem_zalloc(sizeof *fake_disk);
    if (!fake_disk || !requests) {
        kmem_free(requests);
        return -ENOMEM;
    }
    *fake_disk = (struct fake_disk){.device = {.driver = &driver,
                                               .block_size = 512,
                                               .max_blocks = 8,
                                               .blocks = FAKE_BLOCKS,
                                               .depth = FAKE_DEPTH,
                                               .faults = (1u << BLOCK_FAULTS) - 2},
                                    .requests = requests,
                                    .count = count};
    return block_attach(&fake_disk->device, &type);
}

void fake_disk_detach(void)
{
    block_detach(&fake_disk->device);
    kmem_free(fake_disk->requests);
}

int fake_disk_submit(unsigned n, enum block_kind kind, uint32_t count)
{
    fake_disk->requests[n] = (struct block_request){.device = &fake_disk->device,
                                                    .kind = kind,
                                                    .block = n % (FAKE_BLOCKS - 8),
                                                    .count = count,
                                                    .buffer = fake_disk,
                                                    .done = note_end};
    return block_submit(&fake_disk->requests[n]);
}

void fake_disk_finish(unsigned n, int error, uint32_t resid)
{
    uintptr_t state = spinlock_acquire(&fake_disk->device.lock);
    struct block_request **held = fake_disk->held;
    struct block_request *request = held[n];

    memmove(&held[n], &held[n + 1], (FAKE_DEPTH - 1 - n) * sizeof held[0]);
    fake_disk->held_count--;
    request->error = error;
    request->resid = resid;
    request->moved = block_bytes(request) - resid;
    block_done(request);
    spinlock_release(&fake_disk->device.lock, state);
}

kstat_io_t fake_disk_io(void)
{
    kstat_io_t io;

    block_stats_io(&fake_disk->device, &io);
    return io;
}
