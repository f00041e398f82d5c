/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /dev: special files. null, zero, full, random, urandom are here, and block devices as the block
 * layer lists them; a tty registers itself. A device is opened by its number, so one that mknod has
 * made elsewhere works the same; -ENXIO where nobody registered it. Thread context.
 */
#pragma once

#include <stdint.h>
#include "fs/file/file.h"

#define DEV_STATISTICS_MAJOR 60u /* of Linux' numbers for local use */

struct device {
    const char *name; /* in /dev; referenced */
    uint32_t type;    /* S_IFCHR or S_IFBLK */
    uint32_t major, minor, mode;
    const struct file_ops *ops; /* of files that are opened of it */
    /* FILE's data may be set; it is the device's DATA before. It may also set file->ops. NULL:
     * nothing to do. */
    int (*open)(struct file *file);
    void *data;
    struct device *next; /* dev.c's */
};

/* DEVICE stays. 0, -EEXIST (name or number), -ENOMEM. */
int dev_register(struct device *device);
struct vnode;
struct tree_node;
/* The root of /dev, made once; NULL: out of memory. */
struct vnode *dev_mount(uint64_t device);
/* Block devices that are not in /dev yet (dev_disk.c); null and its kin (dev_memory.c). */
void dev_add_disks(struct tree_node *directory);
void dev_add_memory(void);
/* struct fs_mounts': FILE, of a special file's vnode, becomes the device's. -ENXIO. */
int dev_open(struct file *file);

/* SIZE random bytes: RDRAND where the CPU has it; else a generator that is seeded with the time of
 * start-up and the cycle counter, and no secret to who can read those. Any context. */
void random_bytes(void *buffer, size_t size);
