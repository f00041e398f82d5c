/* SPDX-License-Identifier: BSD-2-Clause */
/* hinv's lines of block devices; what is made of memory, which nothing interrupts for, is no
 * hardware. */
#include "kernel/base/inventory.h"
#include "kernel/block/block.h"
#include "lib/format.h"

static size_t block_inventory_of(const struct block_device *device, char *buffer, size_t size)
{
    unsigned type = device->stats.devstat.device_type & DEVSTAT_TYPE_MASK;

    if (type == DEVSTAT_TYPE_CDROM) /* its size is that of a medium, which comes and goes */
        return format(buffer, size, "CD-ROM drive: %s, %s", device->name, device->model);
    return format(buffer, size, "Disk drive: %s, %s, %lu blocks of %u bytes", device->name,
                  device->model, (unsigned long)device->blocks, device->block_size);
}

static size_t block_inventory(unsigned line, char *buffer, size_t size)
{
    struct block_device *device = NULL;

    while ((device = block_next_device(device)) != NULL)
        if (device->handler && line-- == 0)
            return block_inventory_of(device, buffer, size);
    return 0;
}
INVENTORY(block, INVENTORY_DISK, block_inventory);
