/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RAM disks, md0 and on: made on request, and kept. Data is copied in a soft interrupt, one request
 * at a time, so that requests queue as they do at a disk.
 */
#include "kernel/block/block.h"
#include "kernel/block/block_maker.h"
#include "kernel/memory/kmem.h"
#include "kernel/memory/page.h"
#include "kernel/time/clock.h"
#include "kernel/interrupt/softint.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "lib/string.h"

#define BLOCK       512u
#define PIECE_ORDER 6 /* memory comes in pieces of 256 KiB */
#define PIECE       (PAGE_SIZE << PIECE_ORDER)
#define MAX_BYTES   (1024ul << 20)

PAGE_OWNER(disk_pages, "RAM disks");

struct ramdisk {
    struct block_device device;
    struct softint copy;
    bool busy; /* the soft interrupt is on its way; device's lock */
    size_t pieces;
    char *piece[];
};

static void ramdisk_transfer(const struct ramdisk *disk, struct block_request *request)
{
    uint64_t at = request->block * BLOCK;
    size_t left = request->count * BLOCK;
    char *buffer = request->buffer;

    while (left > 0) {
        char *place = disk->piece[at / PIECE] + at % PIECE;
        size_t size = PIECE - at % PIECE;

        size = size < left ? size : left;
        if (request->kind == BLOCK_READ)
            memcpy(buffer, place, size);
        else if (request->kind == BLOCK_WRITE)
            memcpy(place, buffer, size);
        else
            memset(place, 0, size);
        request->moved += size;
        buffer += size;
        at += size;
        left -= size;
    }
}

static void ramdisk_copy(void *argument)
{
    struct ramdisk *disk = argument;
    struct block_device *device = &disk->device;
    uintptr_t state = spinlock_acquire(&device->lock);
    struct block_request *request;

    while (!device->resetting && (request = block_next(device)) != NULL) {
        spinlock_release(&device->lock, state);
        ramdisk_transfer(disk, request);
        state = spinlock_acquire(&device->lock);
        block_done(request);
    }
    disk->busy = false;
    spinlock_release(&device->lock, state);
}

static void ramdisk_start(struct block_device *device)
{
    struct ramdisk *disk = device->softc;

    if (disk->busy)
        return;
    disk->busy = true;
    softint_schedule(&disk->copy);
}

/* Nothing can go wrong but what was made to; a request that is being copied is left to its end. */
static bool ramdisk_reset(struct block_device *device)
{
    struct ramdisk *disk = device->softc;
    bool busy;

    for (;;) {
        uintptr_t state = spinlock_acquire(&device->lock);

        busy = disk->busy;
        spinlock_release(&device->lock, state);
        if (!busy)
            return true;
        thread_sleep(CLOCK_TICK_NS);
    }
}

static const struct block_driver driver = {
    .name = "md", .start = ramdisk_start, .reset = ramdisk_reset};

static void ramdisk_free_pieces(struct ramdisk *disk)
{
    while (disk->pieces > 0)
        page_free(disk->piece[--disk->pieces]);
    kmem_free(disk);
}

static int ramdisk_make(uint64_t bytes, struct block_device **device)
{
    static const struct block_type type = {DEVSTAT_TYPE_DIRECT | DEVSTAT_TYPE_IF_OTHER,
                                           DEVSTAT_PRIORITY_DISK, false};
    size_t pieces = (bytes + PIECE - 1) / PIECE;
    struct ramdisk *disk;
    int error;

    if (bytes == 0 || bytes % BLOCK != 0 || bytes > MAX_BYTES)
        return -EINVAL;
    disk = kmem_zalloc(sizeof *disk + pieces * sizeof disk->piece[0]);
    if (!disk)
        return -ENOMEM;
    while (disk->pieces < pieces) {
        char *piece = page_alloc_for(&disk_pages, PIECE_ORDER);

        if (!piece) {
            ramdisk_free_pieces(disk);
            return -ENOMEM;
        }
        memset(piece, 0, PIECE);
        disk->piece[disk->pieces++] = piece;
    }
    disk->device = (struct block_device){.driver = &driver,
                                         .softc = disk,
                                         .block_size = BLOCK,
                                         .max_blocks = 256,
                                         .blocks = bytes / BLOCK,
                                         .depth = 1,
                                         .model = "RAM disk"};
    disk->busy = true; /* who finds it at once waits until it can copy */
    error = block_attach(&disk->device, &type);
    if (error != 0) {
        ramdisk_free_pieces(disk);
        return error;
    }
    softint_establish(&disk->copy, IPL_SOFTBIO, ramdisk_copy, disk, disk->device.name);
    softint_schedule(&disk->copy); /* ends being busy */
    *device = &disk->device;
    return 0;
}

BLOCK_MAKER(md, .name = "md", .summary = "a disk in memory", .make = ramdisk_make);
