/* SPDX-License-Identifier: BSD-2-Clause */
/* The root: a tree of what the boot archive has. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct vnode;

/* The whole pages of an archive become blocks of the page allocator, so that files may have them.
 */
void root_adopt(const void *archive, size_t size);
/* From the archive, with the directories that others are mounted on; NULL: out of memory. */
struct vnode *root_mount(uint64_t device, const void *archive, size_t size);

/* mount.c: makes the mount table, on the first use of any file: the archive [START, START + SIZE)
 * in kernel memory as the root (NULL: an empty one), /tmp, /dev, /proc. From start-up; keeps the
 * address. */
void fs_set_archive(const void *start, size_t size);
