/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * block_copy: what dd does: records are moved from one place to another by several threads, each of
 * which takes the next record. Places are block devices, or sources and sinks of no length.
 */
#ifndef SHELL_BLOCK_COPY_H
#define SHELL_BLOCK_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/block/block.h"

#define BLOCK_COPY_RECORD_MAX 1048576u
#define BLOCK_COPY_JOBS_MAX   64u

enum block_place_kind {
    BLOCK_PLACE_DEVICE,
    BLOCK_PLACE_ZERO,
    BLOCK_PLACE_PATTERN,
    BLOCK_PLACE_NULL
};

struct block_place {
    enum block_place_kind kind;
    struct block_device *device;
    uint64_t seed;   /* of a pattern */
    uint64_t offset; /* bytes */
};

struct block_copy {
    struct block_place from, to;
    uint64_t bytes; /* to move; whole blocks of both devices */
    size_t record;  /* bytes; the last may be shorter */
    unsigned jobs;  /* threads */
    bool flush;     /* the sink, at the end */
    bool progress;  /* tell while it takes long */
    /* What came of it. */
    uint64_t full_in, part_in, full_out, part_out, moved; /* records, records, ..., bytes written */
    uint64_t ns;
    const char *error_name; /* the device that failed */
    enum block_kind error_kind;
    uint64_t error_block;
    uint32_t error_count;
    int error; /* 0, the first error, or -EINTR */
};

/* Does it, and fills in what came of it. */
void block_copy(struct block_copy *copy);

/*
 * Byte AT of a pattern is byte AT % 8, little-endian, of the number that splitmix64 makes of SEED +
 * AT / 8 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators): the same anywhere.
 */
void block_pattern(char *buffer, size_t bytes, uint64_t seed, uint64_t at);

#endif
