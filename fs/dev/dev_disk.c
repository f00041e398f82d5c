/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Block devices as files: /dev/wd0 and so on, raw, by bytes. Each transfer goes through a page of
 * the kernel's; a block that is written in part is read before. They come into /dev when somebody
 * looks there for what is not there yet.
 */
#include "fs/dev/dev.h"
#include "fs/tree/tree.h"
#include "kernel/block/block.h"
#include "kernel/device/late.h"
#include "kernel/memory/kmem.h"
#include "kernel/memory/page.h"
#include "lib/errno.h"
#include "lib/string.h"

#define DISK_MAJOR 259u /* "blkext" of Linux: numbers without a meaning */

/* A part of a transfer: whole blocks that lie in a page. */
struct part {
    uint64_t block;
    uint32_t blocks;
    size_t skip, size; /* bytes before, and wanted */
};

static uint64_t disk_bytes(const struct block_device *device)
{
    return device->blocks * device->block_size;
}

static uint64_t disk_size(struct file *file)
{
    return disk_bytes(file->data);
}

static struct part disk_part(const struct block_device *device, uint64_t offset, size_t left)
{
    uint32_t unit = device->block_size, most = (uint32_t)PAGE_SIZE / unit;
    struct part part = {.block = offset / unit, .skip = offset % unit};

    if (most > device->max_blocks)
        most = device->max_blocks;
    part.size = (size_t)most * unit - part.skip;
    if (part.size > left)
        part.size = left;
    part.blocks = (uint32_t)((part.skip + part.size + unit - 1) / unit);
    return part;
}

static int disk_put(struct block_device *device, struct uio *uio, const struct part *part,
                    char *page)
{
    int error = block_io(device, BLOCK_READ, part->block, part->blocks, page);

    if (error != 0)
        return error;
    return uio_put(uio, page + part->skip, part->size) < part->size ? -EFAULT : 0;
}

static int disk_get(struct block_device *device, struct uio *uio, const struct part *part,
                    char *page)
{
    bool whole = part->skip == 0 && part->size == (size_t)part->blocks * device->block_size;
    int error = whole ? 0 : block_io(device, BLOCK_READ, part->block, part->blocks, page);

    if (error != 0)
        return error;
    if (uio_get(uio, page + part->skip, part->size) < part->size)
        return -EFAULT;
    return block_io(device, BLOCK_WRITE, part->block, part->blocks, page);
}

static long disk_move(struct file *file, struct uio *uio, uint64_t *offset,
                      int (*move)(struct block_device *, struct uio *, const struct part *, char *))
{
    struct block_device *device = file->data;
    uint64_t start = *offset, end = disk_bytes(device);
    char *page = page_alloc(0);
    int error = 0;

    if (page == NULL)
        return -ENOMEM;
    while (uio->left > 0 && *offset < end && error == 0) {
        uint64_t room = end - *offset;
        struct part part = disk_part(device, *offset, uio->left < room ? uio->left : (size_t)room);

        error = move(device, uio, &part, page);
        if (error == 0)
            *offset += part.size;
    }
    page_free(page);
    return *offset > start ? (long)(*offset - start) : error;
}

static long disk_read(struct file *file, struct uio *uio, uint64_t *offset)
{
    return disk_move(file, uio, offset, disk_put);
}

static long disk_write(struct file *file, struct uio *uio, uint64_t *offset)
{
    struct block_device *device = file->data;

    if (uio->left > 0 && *offset >= disk_bytes(device))
        return -ENOSPC;
    return device->read_only ? -EROFS : disk_move(file, uio, offset, disk_get);
}

/* A special file, which outlives its disk. */
struct disk_name {
    struct device device; /* its data: this */
    char name[16];
};

static int disk_open(struct file *file)
{
    struct disk_name *disk = file->data;
    struct block_device *block = block_find(disk->name);

    file->data = block;
    return block == NULL ? -ENXIO : block_open(block);
}

static const struct file_ops disk_ops = {
    .read = disk_read, .write = disk_write, .size = disk_size, .seekable = true};

static void disk_add(const struct block_device *block, uint32_t number)
{
    struct disk_name *disk = kmem_zalloc(sizeof *disk);

    if (disk == NULL)
        return;
    strlcpy(disk->name, block->name, sizeof disk->name);
    disk->device = (struct device){.name = disk->name,
                                   .type = S_IFBLK,
                                   .major = DISK_MAJOR,
                                   .minor = number,
                                   .mode = 0600,
                                   .ops = &disk_ops,
                                   .open = disk_open,
                                   .data = disk};
    if (dev_register(&disk->device) != 0)
        kmem_free(disk); /* it is there */
}

/* Devices of the block layer stay, in their order: their places are their numbers. */
void dev_add_disks(struct tree_node *directory)
{
    struct block_device *block = NULL;
    uint32_t number = 0;

    (void)directory;
    late_start();
    while ((block = block_next_device(block)) != NULL)
        disk_add(block, number++);
}
