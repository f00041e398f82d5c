/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hinv's lines (hinv(1M) of IRIX): the board's, struct machine's `inventory`, and those that
 * others add, where devices have been looked for (late_start):
 *
 *     static size_t describe(unsigned line, char *buffer, size_t size);
 *     INVENTORY(pmu, INVENTORY_PROCESSOR, describe);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "lib/linker_set.h"

/* What `hinv -c` names. */
#define INVENTORY_PROCESSOR "processor"
#define INVENTORY_MEMORY    "memory"
#define INVENTORY_INTERRUPT "interrupt"
#define INVENTORY_CLOCK     "clock"
#define INVENTORY_SERIAL    "serial"
#define INVENTORY_DISK      "disk"
#define INVENTORY_NETWORK   "network"

struct inventory {
    const char *class;
    /* Line N of it, without its end, and its length; 0 behind the last. Thread context. */
    size_t (*line)(unsigned line, char *buffer, size_t size);
};

#define INVENTORY(inventory_name, inventory_class, inventory_line)                                 \
    static const struct inventory inventory_##inventory_name = {(inventory_class),                 \
                                                                (inventory_line)};                 \
    LINKER_SET_ADD(inventories, inventory_##inventory_name)

/* One line, and its class; false: no more of them. */
typedef bool inventory_put(const char *class, const char *line, void *argument);
/* Every line, the board's first. Thread context. */
void inventory_each(inventory_put *put, void *argument);
