/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the mount table, each made once: the root of each, or NULL (out of memory). */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct vnode;
struct tree_node;

/* The whole pages of an archive become blocks of the page allocator, so that files may have them.
 */
void root_adopt(const void *archive, size_t size);
/* From the archive, with the directories that others are mounted on. */
struct vnode *root_mount(uint64_t device, const void *archive, size_t size);
struct vnode *dev_mount(uint64_t device);
struct vnode *proc_mount(uint64_t device);

/* dev_disk.c: block devices that are not in /dev yet. dev_memory.c: null and its kin. */
void dev_add_disks(struct tree_node *directory);
void dev_add_memory(void);
/* proc_system.c: meminfo and its kin. */
void proc_add_system(void);
void proc_add_stat(void);
