/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the allocator's pages come from: regions of RAM, and memory that is in use from the start.
 */
#include <arch/memory.h>
#include "kernel/base/panic.h"
#include "kernel/lock/spinlock.h"
#include "kernel/memory/page_private.h"

#define OWNERS 64u

/* Before the first page is handed out. */
static void page_region_number_owners(void)
{
    struct page_owner *const *owner;
    unsigned number = 0;

    LINKER_SET_FOREACH (owner, page_owners)
        (*owner)->number = number++;
    ASSERT(number <= OWNERS);
}

void page_add_region(uint64_t start, uint64_t end)
{
    struct page_region *region;
    uint64_t first = (start + PAGE_SIZE - 1) >> PAGE_SHIFT, last = end >> PAGE_SHIFT, map_pages;

    if (last <= first + 16 || page_region_count == PAGE_REGIONS)
        return;
    if (page_region_count == 0)
        page_region_number_owners();
    region = &page_regions[page_region_count++];
    map_pages = ((last - first) * sizeof(struct page_state) + PAGE_SIZE - 1) >> PAGE_SHIFT;
    region->first = first;
    region->count = last - first - map_pages;
    region->frontier = 0;
    region->state = memory_pointer((last - map_pages) << PAGE_SHIFT);
    page_stats_now.total += region->count;
    page_stats_now.free += region->count;
    page_stats_now.lowest_free = page_stats_now.free;
}

static void page_region_adopt(const struct page_owner *owner, uint64_t first, size_t count,
                              void *states)
{
    struct page_region *region = &page_regions[page_region_count];
    const struct page_state used = {
        .references = 1, .owner = owner->number & 63, .order = 0, .kind = PAGE_USED};

    *region =
        (struct page_region){.first = first, .count = count, .frontier = count, .state = states};
    for (size_t i = 0; i < count; i++)
        region->state[i] = used;
    page_region_count++;
}

bool page_adopt(struct page_owner *owner, void *start, size_t count)
{
    unsigned order = 0;
    uintptr_t state;
    void *states;

    while (PAGE_SIZE << order < count * sizeof(struct page_state))
        order++;
    if (page_region_count == PAGE_REGIONS)
        return false;
    states = page_alloc_for(owner, order);
    if (states == NULL)
        return false;
    state = spinlock_acquire(&page_lock);
    page_region_adopt(owner, memory_physical(start) >> PAGE_SHIFT, count, states);
    owner->pages += count;
    page_stats_now.total += count;
    page_stats_now.references += count;
    spinlock_release(&page_lock, state);
    return true;
}
