/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cells of counters for the host's CPUs other than 0: a block for each counter that such a CPU has
 * raised, kept in a list so that a new life can give back those of counters never detached.
 */
#include "stats/host/host_cells.h"

#include <quipu_host.h>
#include <stdlib.h>
#include <sys/evcnt.h>

#include "stats/evcnt_registry.h"
#include "stats/port.h"

struct block {
    uint64_t cell[HOST_CPUS];
    LIST_ENTRY(block) link;
};

static LIST_HEAD(, block) blocks = LIST_HEAD_INITIALIZER(blocks);

/*
 * NULL if the counter has none. ev_cells means something only while the counter is attached; the
 * mark alone tells, since this is called on any thread without the lock.
 */
static struct block *block_of(const struct evcnt *ev)
{
    if (ev->ev_mark != evcnt_mark_attached(ev))
        return NULL;
    return (struct block *)__atomic_load_n(&ev->ev_cells, __ATOMIC_ACQUIRE);
}

static struct block *make_block(struct evcnt *ev)
{
    struct block *fresh = calloc(1, sizeof *fresh);
    uintptr_t expected = 0;
    uintptr_t state;

    if (fresh == NULL)
        stats_port_panic("host: no memory for the cells of a counter");
    state = stats_port_lock();
    if (__atomic_compare_exchange_n(&ev->ev_cells, &expected, (uintptr_t)fresh, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        LIST_INSERT_HEAD(&blocks, fresh, link);
        stats_port_unlock(state);
        return fresh;
    }
    stats_port_unlock(state);
    free(fresh);
    return (struct block *)expected;
}

uint64_t *evcnt_host_cell(struct evcnt *ev)
{
    unsigned cpu = stats_port_cpu();
    struct block *block;

    if (cpu == 0 || ev->ev_mark != evcnt_mark_attached(ev))
        return (uint64_t *)&ev->ev_count;
    block = block_of(ev);
    if (block == NULL)
        block = make_block(ev);
    return &block->cell[cpu];
}

uint64_t evcnt_machine_sum(const struct evcnt *ev)
{
    const struct block *block = block_of(ev);
    uint64_t sum = 0;

    for (unsigned cpu = 1; block != NULL && cpu < HOST_CPUS; cpu++)
        sum += __atomic_load_n(&block->cell[cpu], __ATOMIC_RELAXED);
    return sum;
}

void evcnt_machine_attach(struct evcnt *ev)
{
    ev->ev_cells = 0;
}

void evcnt_machine_detach(struct evcnt *ev)
{
    struct block *block = (struct block *)ev->ev_cells;

    if (block == NULL)
        return;
    for (unsigned cpu = 1; cpu < HOST_CPUS; cpu++)
        ev->ev_count += block->cell[cpu];
    ev->ev_cells = 0;
    LIST_REMOVE(block, link);
    free(block);
}

void host_cells_reset(void)
{
    struct block *block;

    while ((block = LIST_FIRST(&blocks)) != NULL) {
        LIST_REMOVE(block, link);
        free(block);
    }
}
