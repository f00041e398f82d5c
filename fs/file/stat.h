/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of a file, as stat(2) tells it; mode bits are Linux' (and everybody's). */
#pragma once

#include <stdint.h>

#define S_IFMT   0170000u
#define S_IFSOCK 0140000u
#define S_IFLNK  0120000u
#define S_IFREG  0100000u
#define S_IFBLK  0060000u
#define S_IFDIR  0040000u
#define S_IFCHR  0020000u
#define S_IFIFO  0010000u
#define S_ISUID  0004000u
#define S_ISGID  0002000u
#define S_ISVTX  0001000u

struct file_stat {
    uint64_t device; /* of its file system: file_device(major, minor) */
    uint64_t number; /* within that: inode */
    uint32_t mode, links, uid, gid;
    uint64_t special; /* which device it stands for, if it does */
    uint64_t size, blocks /* of 512 bytes */;
    uint32_t block_size;
    uint64_t accessed, modified, changed; /* ns since 1970, of clock_wall() */
    uint64_t born;                        /* 0: not known */
};

/* What statfs(2) tells. */
struct fs_stat {
    uint32_t type; /* the magic number */
    uint32_t block_size, name_max, flags;
    uint64_t blocks, blocks_free, files, files_free;
};

/* As Linux' makedev does it. */
static inline uint64_t file_device(uint32_t major, uint32_t minor)
{
    return (uint64_t)(minor & 0xffu) | (uint64_t)(major & 0xfffu) << 8 |
           (uint64_t)(minor & ~0xffu) << 12 | (uint64_t)(major & ~0xfffu) << 32;
}

/* For utimensat: these two in place of a time. */
#define FILE_TIME_NOW  (UINT64_MAX)
#define FILE_TIME_OMIT (UINT64_MAX - 1)
