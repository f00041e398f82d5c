/* SPDX-License-Identifier: BSD-2-Clause */
/* Words that are raised by everybody: one copy, for there is one CPU. */
#include <machine/cell.h>
#include "kernel/memory/kmem.h"

uint64_t *cell_machine_create(unsigned count)
{
    return kmem_zalloc(count * sizeof(uint64_t));
}
