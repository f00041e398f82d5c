/* SPDX-License-Identifier: BSD-2-Clause */
/* The board as the kernel sees it: name, memory. */
#include "kernel/base/machine.h"

struct machine machine;
static uint64_t memory_size;

uint64_t machine_memory_size(void)
{
    return memory_size;
}

void machine_set_memory_size(uint64_t bytes)
{
    memory_size = bytes;
}
