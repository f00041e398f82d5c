/* SPDX-License-Identifier: BSD-2-Clause */
/* See cell.h. */
#include "stats/evcnt/cell.h"
#include <machine/cell.h>
#include "stats/port.h"

void *cell_create(size_t size)
{
    uintptr_t state = stats_port_lock();
    void *cells = cell_machine_create((unsigned)(size / sizeof(uint64_t)));

    stats_port_unlock(state);
    return cells;
}
