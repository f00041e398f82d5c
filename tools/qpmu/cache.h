/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One 2-way set-associative cache with true LRU: which lines it holds and in which state. What a
 * miss means is hierarchy.c's business.
 */
#ifndef QPMU_CACHE_H
#define QPMU_CACHE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* State of a line, in the low bits of its entry. */
#define QPMU_LINE_VALID 1u
#define QPMU_LINE_OWNED 2u  /* L1D: dirty. L2: no other CPU has it (exclusive or modified) */
#define QPMU_LINE_DIRTY 4u  /* L2: modified */
#define QPMU_LINE_INDEX 24u /* L2: the two index bits under which the primary caches hold it */
#define QPMU_LINE_BITS  5

struct qpmu_cache {
    uint64_t *entry; /* [set * 2 + way]: line number << QPMU_LINE_BITS | state; 0: empty */
    uint8_t *recent; /* [set]: the way used last */
    uint64_t set_mask;
    unsigned line_shift;
};

/* SIZE and LINE in bytes, powers of two. False: no memory. */
bool qpmu_cache_create(struct qpmu_cache *cache, uint64_t size, unsigned line);
void qpmu_cache_destroy(struct qpmu_cache *cache);
void qpmu_cache_reset(struct qpmu_cache *cache);

static inline uint64_t qpmu_cache_set(const struct qpmu_cache *cache, uint64_t address)
{
    return address >> cache->line_shift & cache->set_mask;
}

/* The entry that holds the line of PHYSICAL in SET, or NULL. Leaves the LRU order alone. */
static inline uint64_t *qpmu_cache_find(const struct qpmu_cache *cache, uint64_t set,
                                        uint64_t physical)
{
    uint64_t line = physical >> cache->line_shift;
    uint64_t *entry = &cache->entry[set * 2];

    for (unsigned way = 0; way < 2; way++) {
        if (entry[way] >> QPMU_LINE_BITS == line && (entry[way] & QPMU_LINE_VALID) != 0)
            return &entry[way];
    }
    return NULL;
}

/*
 * The fast path: whether the access to PHYSICAL under VIRTUAL finds its line in a state with all of
 * NEED (QPMU_LINE_VALID to read, QPMU_LINE_OWNED too to write), which then becomes the one used
 * last.
 */
static inline bool qpmu_cache_hit(struct qpmu_cache *cache, uint64_t physical, uint64_t virtual,
                                  uint64_t need)
{
    uint64_t set = qpmu_cache_set(cache, virtual);
    uint64_t line = physical >> cache->line_shift;
    unsigned way = cache->recent[set];
    uint64_t entry = cache->entry[set * 2 + way];

    if (entry >> QPMU_LINE_BITS == line && (entry & need) == need)
        return true;
    entry = cache->entry[set * 2 + (way ^ 1)];
    if (entry >> QPMU_LINE_BITS != line || (entry & need) != need)
        return false;
    cache->recent[set] = (uint8_t)(way ^ 1);
    return true;
}

/* The entry that a new line in SET replaces: an empty one, else the one not used last. */
static inline uint64_t *qpmu_cache_victim(const struct qpmu_cache *cache, uint64_t set)
{
    uint64_t *entry = &cache->entry[set * 2];

    if ((entry[0] & QPMU_LINE_VALID) == 0)
        return &entry[0];
    if ((entry[1] & QPMU_LINE_VALID) == 0)
        return &entry[1];
    return &entry[cache->recent[set] ^ 1];
}

static inline void qpmu_cache_touch(const struct qpmu_cache *cache, uint64_t set,
                                    const uint64_t *entry)
{
    cache->recent[set] = (uint8_t)(entry - &cache->entry[set * 2]);
}

static inline uint64_t qpmu_cache_address(const struct qpmu_cache *cache, uint64_t entry)
{
    return entry >> QPMU_LINE_BITS << cache->line_shift;
}
#endif
