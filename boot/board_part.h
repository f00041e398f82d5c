/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of a board that its own file does not name, because a kernel may be linked without what
 * they stand on: PCI devices, performance counters; or without them.
 *
 *     BOARD_PART(pci, .console = join, ...)
 *
 * Those of one moment have no order among them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "lib/linker_set.h"

struct board_part {
    /* Whether the boot module is something of this part's; before everything else. Or NULL. */
    bool (*module)(const void *data, size_t size);
    void (*console)(void); /* after machine_console, or NULL */
    void (*devices)(void); /* after machine_devices, or NULL */
};

#define BOARD_PART(ident, ...)                                                                     \
    static const struct board_part board_part_##ident = {__VA_ARGS__};                             \
    LINKER_SET_ADD(board_parts, board_part_##ident)
