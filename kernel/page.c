/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page allocator. Each region of RAM keeps one state byte a page at its end. Pages below the
 * region's frontier have a valid state byte and are free, allocated or part of a block; pages above
 * have never been touched. When the free lists have no block that is large enough, the frontier
 * moves up by one block.
 */
#include "kernel/page.h"
#include <arch/memory.h>
#include <stdbool.h>
#include <sys/queue.h>
#include "kernel/panic.h"
#include "kernel/spinlock.h"

#define REGIONS 16

/* State byte: what a block's first page is; later pages of a block are INSIDE. */
#define STATE_ORDER  0x0f
#define STATE_FREE   0x10
#define STATE_USED   0x20
#define STATE_INSIDE 0x40

struct free_block { /* lies in the free page itself */
    LIST_ENTRY(free_block) link;
};

struct region {
    uint64_t first, count; /* page numbers */
    uint64_t frontier;     /* pages of the region handed out so far; aligned blocks only */
    uint8_t *state;
};

static struct region regions[REGIONS];
static unsigned region_count;
static LIST_HEAD(, free_block) free_lists[PAGE_ORDERS];
static struct spinlock page_lock = SPINLOCK_INITIALIZER("pages");
static struct page_stats stats;

void page_add_region(uint64_t start, uint64_t end)
{
    struct region *region;
    uint64_t first = (start + PAGE_SIZE - 1) >> PAGE_SHIFT, last = end >> PAGE_SHIFT, map_pages;

    if (last <= first + 16 || region_count == REGIONS)
        return;
    region = &regions[region_count++];
    map_pages = (last - first + PAGE_SIZE - 1) >> PAGE_SHIFT;
    region->first = first;
    region->count = last - first - map_pages;
    region->frontier = 0;
    region->state = memory_pointer((last - map_pages) << PAGE_SHIFT);
    stats.total += region->count;
    stats.free += region->count;
    stats.lowest_free = stats.free;
}

static struct region *region_of(uint64_t page)
{
    for (unsigned i = 0; i < region_count; i++)
        if (page - regions[i].first < regions[i].count)
            return &regions[i];
    return NULL;
}

static uint64_t page_number(const void *pointer)
{
    return memory_physical(pointer) >> PAGE_SHIFT;
}

static void *page_pointer(uint64_t page)
{
    return memory_pointer(page << PAGE_SHIFT);
}

static void set_state(struct region *region, uint64_t page, uint8_t state)
{
    region->state[page - region->first] = state;
}

static void put_free(struct region *region, uint64_t page, unsigned order)
{
    struct free_block *block = page_pointer(page);

    set_state(region, page, (uint8_t)(STATE_FREE | order));
    LIST_INSERT_HEAD(&free_lists[order], block, link);
}

/* Takes a block of ORDER from above a frontier; the pages skipped for alignment become free blocks.
 */
static bool grow(unsigned order)
{
    for (unsigned i = 0; i < region_count; i++) {
        struct region *region = &regions[i];
        uint64_t page = region->first + region->frontier;
        uint64_t end = region->first + region->count;
        uint64_t aligned = (page + (1ul << order) - 1) & ~((1ul << order) - 1);

        if (aligned + (1ul << order) > end)
            continue;
        while (page < aligned) {
            unsigned skip = (unsigned)__builtin_ctzl(page);

            put_free(region, page, skip);
            for (uint64_t inside = 1; inside < 1ul << skip; inside++)
                set_state(region, page + inside, STATE_INSIDE);
            page += 1ul << skip;
        }
        for (uint64_t inside = 1; inside < 1ul << order; inside++)
            set_state(region, aligned + inside, STATE_INSIDE);
        put_free(region, aligned, order);
        region->frontier = aligned + (1ul << order) - region->first;
        return true;
    }
    return false;
}

/* The smallest listed block of at least ORDER, taken off its list; -1 if none. */
static int take_listed(unsigned order, uint64_t *page)
{
    for (unsigned have = order; have < PAGE_ORDERS; have++) {
        struct free_block *block = LIST_FIRST(&free_lists[have]);

        if (block) {
            LIST_REMOVE(block, link);
            *page = page_number(block);
            return (int)have;
        }
    }
    return -1;
}

static void *allocate(unsigned order)
{
    struct region *region;
    uint64_t page = 0;
    int have = take_listed(order, &page);

    if (have < 0 && grow(order))
        have = take_listed(order, &page);
    if (have < 0) {
        stats.failures++;
        return NULL;
    }
    region = region_of(page);
    while ((unsigned)have > order) {
        have--;
        put_free(region, page + (1ul << have), (unsigned)have);
    }
    set_state(region, page, (uint8_t)(STATE_USED | order));
    stats.allocations++;
    stats.free -= 1ul << order;
    if (stats.free < stats.lowest_free)
        stats.lowest_free = stats.free;
    return page_pointer(page);
}

void *page_alloc(unsigned order)
{
    uintptr_t state;
    void *block;

    if (order >= PAGE_ORDERS)
        return NULL;
    state = spinlock_acquire(&page_lock);
    block = allocate(order);
    spinlock_release(&page_lock, state);
    return block;
}

/* The state byte of an allocation; panics if BLOCK is none. */
static uint8_t used_state(const void *block, struct region **region)
{
    uint64_t page = page_number(block);

    *region = region_of(page);
    if (!*region || (uintptr_t)block % PAGE_SIZE ||
        page - (*region)->first >= (*region)->frontier ||
        !((*region)->state[page - (*region)->first] & STATE_USED))
        panic("page: %p is not an allocated block", block);
    return (*region)->state[page - (*region)->first];
}

unsigned page_order(const void *block)
{
    struct region *region;

    return used_state(block, &region) & STATE_ORDER;
}

/* Joins the block at PAGE with its free buddies; returns the order reached. */
static unsigned merge(struct region *region, uint64_t *page, unsigned order)
{
    while (order + 1 < PAGE_ORDERS) {
        uint64_t buddy = *page ^ (1ul << order);

        if (buddy < region->first || buddy - region->first + (1ul << order) > region->frontier ||
            region->state[buddy - region->first] != (STATE_FREE | order))
            break;
        LIST_REMOVE((struct free_block *)page_pointer(buddy), link);
        set_state(region, buddy > *page ? buddy : *page, STATE_INSIDE);
        *page = buddy < *page ? buddy : *page;
        order++;
    }
    return order;
}

void page_free(void *block)
{
    uintptr_t state = spinlock_acquire(&page_lock);
    struct region *region;
    unsigned order = used_state(block, &region) & STATE_ORDER;
    uint64_t page = page_number(block);

    stats.frees++;
    stats.free += 1ul << order;
    order = merge(region, &page, order);
    put_free(region, page, order);
    spinlock_release(&page_lock, state);
}

void page_stats_get(struct page_stats *out)
{
    uintptr_t state = spinlock_acquire(&page_lock);

    *out = stats;
    spinlock_release(&page_lock, state);
}
