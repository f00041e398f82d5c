/* SPDX-License-Identifier: BSD-2-Clause */
/* What is counted of files: events that only grow, and how many of a thing there are. kstat:
 * unix:0:fs and unix:0:dnlcstats. */
#pragma once

#include <stdint.h>

enum fs_count {
    FS_OPENS,
    FS_LOOKUPS, /* of a name in a directory */
    FS_MISSES,  /* of these, those that found nothing */
    FS_READS,
    FS_WRITES,
    FS_READ_BYTES,
    FS_WRITE_BYTES,
    FS_PIPE_WRITES, /* the part of FS_WRITE_BYTES and FS_WRITES that went to pipes */
    FS_PIPE_BYTES,
    FS_FILES, /* how many there are: open file descriptions */
    FS_VNODES,
    FS_PIPES,
    FS_TABLES,
    FS_EPOLLS,
    FS_SOCKETS,
    FS_EPOLL_ENTRIES, /* files that epolls watch */
    FS_COUNTS
};

/* AMOUNT more, or less. Any context. */
void fs_count(enum fs_count count, int64_t amount);
uint64_t fs_count_value(enum fs_count count);
