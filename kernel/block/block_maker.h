/* SPDX-License-Identifier: BSD-2-Clause */
/* Block devices that are made because somebody asks for one (`devctl create`), not found. */
#pragma once

#include <stdint.h>
#include "kernel/block/block.h"
#include "lib/linker_set.h"

struct block_maker {
    const char *name; /* "md" */
    const char *summary;
    /* A device of BYTES bytes: 0, -ENOMEM, -EINVAL (size). Thread context. */
    int (*make)(uint64_t bytes, struct block_device **device);
};

/* The maker of that name, or NULL. */
const struct block_maker *block_maker_find(const char *name);

#define BLOCK_MAKER(ident, ...)                                                                    \
    static const struct block_maker block_maker_##ident = {__VA_ARGS__};                           \
    LINKER_SET_ADD(block_makers, block_maker_##ident)
