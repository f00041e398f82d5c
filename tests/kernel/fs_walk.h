/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests of files share: a directory of their own in /tmp, in which relative paths begin, and
 * what was there before. */
#pragma once

#include "fs/file/calls.h"
#include "fs/file/file.h"
#include "fs/file/fs_count.h"

struct fs_walk {
    struct path_walk walk; /* as root */
    uint64_t counts[FS_COUNTS];
    uint64_t pages; /* of all files */
};

/* 0, or the test has failed. */
int fs_walk_begin(struct fs_walk *test);
/* The directory, which is empty, goes. Fails unless all objects have gone, too. */
int fs_walk_end(struct fs_walk *test);
/* What was counted since the beginning. */
uint64_t fs_walk_counted(const struct fs_walk *test, enum fs_count count);

/* Open, move kernel memory, and the like; as the functions that they call. */
struct file *fs_walk_open(const struct fs_walk *test, const char *path, uint32_t flags);
int fs_walk_error(const struct fs_walk *test, const char *path, uint32_t flags); /* of opening */
long fs_walk_write(struct file *file, const void *bytes, size_t size);
long fs_walk_read(struct file *file, void *bytes, size_t size);
long fs_walk_pwrite(struct file *file, const void *bytes, size_t size, uint64_t offset);
/* A file with that content. */
int fs_walk_make(const struct fs_walk *test, const char *path, const char *content);
