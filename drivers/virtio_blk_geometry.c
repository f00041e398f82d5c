/* SPDX-License-Identifier: BSD-2-Clause */
/* What a disk of virtio says, and whether it can be: see virtio_blk.h. */
#include "drivers/virtio_blk.h"
#include "kernel/memory/page.h"
#include "lib/errno.h"

#define BYTES_MAX    (PAGE_SIZE << (PAGE_ORDERS - 1)) /* the largest buffer there is */
#define CAPACITY_MAX ((1ull << 54) - 1)               /* sectors: its bytes are a positive off_t */

bool virtio_blk_blocks(const struct virtio_device *device, uint32_t block_size, uint64_t *blocks)
{
    uint64_t capacity = virtio_config64(device, VIRTIO_BLK_CONFIG_CAPACITY);

    if (capacity > CAPACITY_MAX)
        return false;
    *blocks = capacity / (block_size / VIRTIO_BLK_SECTOR);
    return true;
}

const char *virtio_blk_geometry(const struct virtio_device *device, struct virtio_blk_geometry *out)
{
    uint32_t bytes = BYTES_MAX, size = VIRTIO_BLK_SECTOR, most;

    if (device->features & VIRTIO_BLK_BLOCK_SIZE)
        size = virtio_config32(device, VIRTIO_BLK_CONFIG_BLOCK_SIZE);
    if (size < VIRTIO_BLK_SECTOR || size > PAGE_SIZE || (size & (size - 1)) != 0)
        size = VIRTIO_BLK_SECTOR; /* 5.2.5.1: this is advice; sectors always work */
    if (device->features & VIRTIO_BLK_SIZE_MAX) {
        most = virtio_config32(device, VIRTIO_BLK_CONFIG_SIZE_MAX);
        if (most < size)
            return "a size_max of less than a block";
        bytes = most < bytes ? most : bytes;
    }
    if (!virtio_blk_blocks(device, size, &out->blocks))
        return "a capacity of 2^54 sectors or more";
    out->block_size = size;
    out->max_blocks = bytes / size;
    out->discard_max = virtio_config32(device, VIRTIO_BLK_CONFIG_DISCARD_MAX);
    out->read_only = device->features & VIRTIO_BLK_RO;
    return NULL;
}

/* A device writes the data of a read, and the status, which it has written if it has said
 * anything. */
bool virtio_blk_judge(struct block_request *request, uint8_t said, uint32_t written, uint32_t bytes)
{
    uint32_t wanted = (uint32_t)block_bytes(request);
    uint32_t room = request->kind == BLOCK_READ ? wanted + 1 : 1;

    request->resid = wanted;
    request->moved = 0;
    request->error = said == VIRTIO_BLK_SAID_UNABLE ? -ENOTSUP : -EIO;
    if (written > room)
        request->error = -EIO;
    request->fault = block_fault_of(request->error);
    if (said != VIRTIO_BLK_SAID_OK || written > room)
        return written <= room;
    if (request->kind != BLOCK_READ || written == room) {
        request->error = 0;
        request->resid = 0;
        request->moved = request->kind == BLOCK_READ ? written - 1 : bytes;
    } else if (written > 0) { /* less than was asked for, which only a broken device does */
        request->moved = written - 1;
        request->resid = wanted - (written - 1);
    }
    return true;
}
