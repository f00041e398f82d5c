/* SPDX-License-Identifier: BSD-2-Clause */
/* One cache's memory. */
#include "tools/qpmu/cache.h"

#include <stdlib.h>
#include <string.h>

bool qpmu_cache_create(struct qpmu_cache *cache, uint64_t size, unsigned line)
{
    uint64_t sets = size / line / 2;

    cache->line_shift = (unsigned)__builtin_ctz(line);
    cache->set_mask = sets - 1;
    cache->entry = calloc(sets * 2, sizeof(*cache->entry));
    cache->recent = calloc(sets, 1);
    if (cache->entry != NULL && cache->recent != NULL)
        return true;
    qpmu_cache_destroy(cache);
    return false;
}

void qpmu_cache_destroy(struct qpmu_cache *cache)
{
    free(cache->entry);
    free(cache->recent);
    cache->entry = NULL;
    cache->recent = NULL;
}

void qpmu_cache_reset(struct qpmu_cache *cache)
{
    memset(cache->entry, 0, (cache->set_mask + 1) * 2 * sizeof(*cache->entry));
    memset(cache->recent, 0, cache->set_mask + 1);
}
