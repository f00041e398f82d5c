/* SPDX-License-Identifier: BSD-2-Clause */
/* What paths and open files ask of the file systems that are mounted; fs/mount.c fills it in at
 * start-up, before the first of them. */
#pragma once

struct credentials;
struct file;
struct vnode;

struct fs_mounts {
    struct vnode *(*root)(void); /* see fs_root */
    /* A regular file without a name, in memory, which may be sealed; root has been asked. */
    int (*unnamed)(const struct credentials *who, struct vnode **out);
    /* FILE, whose vnode is a device: its ops and data, or -ENXIO, or what the device says. */
    int (*open_device)(struct file *file);
};

extern struct fs_mounts fs_mounts;
