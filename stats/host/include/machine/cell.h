/* SPDX-License-Identifier: BSD-2-Clause */
/* Words that several CPUs raise, on the host: one word, atomically. */
#ifndef STATS_HOST_MACHINE_CELL_H
#define STATS_HOST_MACHINE_CELL_H

#include <stdint.h>
#include <stdlib.h>

static __inline void cell_incr(uint64_t *word)
{
    __atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
}

static __inline uint64_t *cell_machine_create(unsigned count)
{
    return (uint64_t *)calloc(count, sizeof(uint64_t));
}

static __inline uint64_t cell_sum(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

#endif
