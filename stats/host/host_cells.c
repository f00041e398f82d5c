/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cells of counters for the host's CPUs other than 0: a block for each counter that such a CPU has
 * raised while it was attached. The account is kept as on a machine: ev_cells says whether the
 * block's sum or ev_kept counts, and ev_sequence tells a reader that it was overtaken. Blocks are
 * given back in a new life only, so that such a reader finds memory.
 *
 * Nobody can be interrupted here to end an increment that is under way. Instead detaching closes
 * each cell as it takes its count, and an increment that finds its cell closed counts as a stray.
 */
#include "stats/host/host_cells.h"

#include <quipu_host.h>
#include <stdlib.h>
#include <sys/evcnt.h>

#include "stats/evcnt/evcnt_registry.h"
#include "stats/port.h"

#define BLOCKS_RESTING 256u                /* given back and not used again before there are more */
#define CLOSED         (UINT64_C(1) << 63) /* in a cell that has been counted */

struct block {
    uint64_t cell[HOST_CPUS]; /* that of CPU 0 holds what was kept */
    TAILQ_ENTRY(block) link;
};

/* Under the registry's lock. */
static TAILQ_HEAD(block_list, block) blocks = TAILQ_HEAD_INITIALIZER(blocks);
static struct block_list resting = TAILQ_HEAD_INITIALIZER(resting);
static unsigned resting_count;

static uint64_t host_cells_load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void host_cells_store(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/*
 * NULL if the counter has none. ev_cells means something only while the counter is attached; the
 * mark alone tells, since this is called on any thread without the lock.
 */
static struct block *host_cells_block_of(const struct evcnt *ev)
{
    if (__atomic_load_n(&ev->ev_mark, __ATOMIC_ACQUIRE) != evcnt_mark_attached(ev))
        return NULL;
    return (struct block *)__atomic_load_n(&ev->ev_cells, __ATOMIC_ACQUIRE);
}

static struct block *host_cells_take_block(void)
{
    struct block *block = TAILQ_FIRST(&resting);

    if (resting_count <= BLOCKS_RESTING) {
        block = calloc(1, sizeof *block);
        if (block == NULL)
            abort();
        TAILQ_INSERT_HEAD(&blocks, block, link);
        return block;
    }
    TAILQ_REMOVE(&resting, block, link);
    resting_count--;
    TAILQ_INSERT_HEAD(&blocks, block, link);
    for (unsigned cpu = 0; cpu < HOST_CPUS; cpu++)
        host_cells_store(&block->cell[cpu], 0);
    return block;
}

/* NULL if the counter is no longer attached. */
static struct block *host_cells_make_block(struct evcnt *ev)
{
    uintptr_t state = stats_port_lock();
    struct block *block = NULL;

    if (ev->ev_mark == evcnt_mark_attached(ev)) {
        block = (struct block *)ev->ev_cells;
        if (block == NULL) {
            block = host_cells_take_block();
            host_cells_store(&block->cell[0], ev->ev_kept);
            __atomic_store_n(&ev->ev_cells, (uintptr_t)block, __ATOMIC_RELEASE);
            __atomic_fetch_add(&ev->ev_sequence, 1, __ATOMIC_ACQ_REL);
        }
    }
    stats_port_unlock(state);
    return block;
}

/* The calling thread's block; NULL if the counter is not attached. */
static struct block *host_cells_find_block(struct evcnt *ev)
{
    struct block *block;

    if (__atomic_load_n(&ev->ev_mark, __ATOMIC_ACQUIRE) != evcnt_mark_attached(ev))
        return NULL;
    block = host_cells_block_of(ev);
    return block != NULL ? block : host_cells_make_block(ev);
}

void evcnt_host_incr(struct evcnt *ev)
{
    unsigned cpu = stats_port_cpu();
    struct block *block;

    if (cpu == 0) {
        __atomic_fetch_add(&ev->ev_cell0, 1, __ATOMIC_RELEASE);
        return;
    }
    block = host_cells_find_block(ev);
    if (block == NULL || (__atomic_fetch_add(&block->cell[cpu], 1, __ATOMIC_ACQ_REL) & CLOSED))
        __atomic_fetch_add(&ev->ev_strays, 1, __ATOMIC_RELEASE);
}

/* False if the block is being closed: ev_sequence is about to move. */
static bool host_cells_sum_of(const struct block *block, uint64_t *sum)
{
    uint64_t any = 0;

    for (unsigned cpu = 0; cpu < HOST_CPUS; cpu++) {
        uint64_t cell = host_cells_load(&block->cell[cpu]);

        any |= cell;
        *sum += cell;
    }
    return !(any & CLOSED);
}

static uint64_t host_cells_close_all(struct block *block)
{
    uint64_t sum = 0;

    for (unsigned cpu = 0; cpu < HOST_CPUS; cpu++)
        sum += __atomic_fetch_or(&block->cell[cpu], CLOSED, __ATOMIC_ACQ_REL);
    return sum;
}

uint64_t evcnt_machine_value(const struct evcnt *ev)
{
    const struct block *block;
    uint32_t sequence;
    uint64_t sum;
    bool whole;

    do {
        sequence = __atomic_load_n(&ev->ev_sequence, __ATOMIC_ACQUIRE);
        block = host_cells_block_of(ev);
        whole = true;
        sum = host_cells_load(&ev->ev_count) + host_cells_load(&ev->ev_strays) +
              host_cells_load(&ev->ev_cell0);
        if (block != NULL)
            whole = host_cells_sum_of(block, &sum);
        else
            sum += host_cells_load(&ev->ev_kept);
    } while (!whole || __atomic_load_n(&ev->ev_sequence, __ATOMIC_ACQUIRE) != sequence);
    return sum;
}

uint64_t evcnt_machine_share(const struct evcnt *ev, unsigned cpu)
{
    const struct block *block;
    uint32_t sequence;
    uint64_t sum;

    if (cpu >= HOST_CPUS)
        return 0;
    do {
        sequence = __atomic_load_n(&ev->ev_sequence, __ATOMIC_ACQUIRE);
        block = host_cells_block_of(ev);
        sum = cpu == 0 ? host_cells_load(&ev->ev_cell0) : 0;
        if (block != NULL)
            sum += host_cells_load(&block->cell[cpu]) & ~CLOSED;
        else if (cpu == 0)
            sum += host_cells_load(&ev->ev_kept);
    } while (__atomic_load_n(&ev->ev_sequence, __ATOMIC_ACQUIRE) != sequence);
    return sum;
}

void evcnt_machine_clear(struct evcnt *ev)
{
    host_cells_store(&ev->ev_cell0, 0);
    host_cells_store(&ev->ev_strays, 0);
    host_cells_store(&ev->ev_kept, 0);
}

/* Increments of a counter in use go on meanwhile, without cells: the first makes them. */
void evcnt_machine_attach(struct evcnt *ev)
{
    __atomic_store_n(&ev->ev_cells, 0, __ATOMIC_RELEASE);
}

bool evcnt_machine_stop(struct evcnt *ev)
{
    (void)ev;
    return false;
}

void evcnt_machine_settle(void)
{
}

void evcnt_machine_detach(struct evcnt *ev)
{
    struct block *block = (struct block *)ev->ev_cells;

    if (block == NULL)
        return;
    host_cells_store(&ev->ev_kept, host_cells_close_all(block));
    __atomic_store_n(&ev->ev_cells, 0, __ATOMIC_RELEASE);
    __atomic_fetch_add(&ev->ev_sequence, 1, __ATOMIC_ACQ_REL);
    TAILQ_REMOVE(&blocks, block, link);
    TAILQ_INSERT_TAIL(&resting, block, link);
    resting_count++;
}

static void host_cells_empty(struct block_list *list)
{
    struct block *block;

    while ((block = TAILQ_FIRST(list)) != NULL) {
        TAILQ_REMOVE(list, block, link);
        free(block);
    }
}

void host_cells_reset(void)
{
    host_cells_empty(&blocks);
    host_cells_empty(&resting);
    resting_count = 0;
}
