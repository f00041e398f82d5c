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
#include "kernel/law.h"
#include "kernel/panic.h"
#include "kernel/spinlock.h"

#define REGIONS 16

/*
 * State byte: what a block's first page is, as kind * PAGE_ORDERS + order; later pages of a block
 * are INSIDE. A block that was handed out is of the kind USED + its owner's number.
 */
#define FREE         0u
#define INSIDE       1u
#define USED         2u
#define STATE_INSIDE (INSIDE * PAGE_ORDERS)
#define OWNERS       (256u / PAGE_ORDERS - USED)

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

PAGE_OWNER(others, "others");

static struct page_owner *owner_of(unsigned number)
{
    return ((struct page_owner *const *)LINKER_SET_BEGIN(page_owners))[number];
}

/* Before the first page is handed out. */
static void number_owners(void)
{
    struct page_owner *const *owner;
    unsigned number = 0;

    LINKER_SET_FOREACH (owner, page_owners)
        (*owner)->number = number++;
    ASSERT(number <= OWNERS);
}

struct page_owner *page_owner_next(const struct page_owner *owner)
{
    struct page_owner *const *next = (struct page_owner *const *)LINKER_SET_BEGIN(page_owners);

    next += owner ? owner->number + 1 : 0;
    return (const void *const *)next == LINKER_SET_END(page_owners) ? NULL : *next;
}

void page_add_region(uint64_t start, uint64_t end)
{
    struct region *region;
    uint64_t first = (start + PAGE_SIZE - 1) >> PAGE_SHIFT, last = end >> PAGE_SHIFT, map_pages;

    if (last <= first + 16 || region_count == REGIONS)
        return;
    if (region_count == 0)
        number_owners();
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

static void set_state(struct region *region, uint64_t page, unsigned state)
{
    region->state[page - region->first] = (uint8_t)state;
}

static void put_free(struct region *region, uint64_t page, unsigned order)
{
    struct free_block *block = page_pointer(page);

    set_state(region, page, FREE * PAGE_ORDERS + order);
    LIST_INSERT_HEAD(&free_lists[order], block, link);
}

/* Whether the block of ORDER at PAGE has a buddy below the frontier that is free in whole. */
static bool buddy_is_free(const struct region *region, uint64_t page, unsigned order)
{
    uint64_t buddy = page ^ (1ul << order);

    return order + 1 < PAGE_ORDERS && buddy >= region->first &&
           buddy - region->first + (1ul << order) <= region->frontier &&
           region->state[buddy - region->first] == FREE * PAGE_ORDERS + order;
}

/* Joins the block at PAGE with its free buddies; returns the order reached. */
static unsigned merge(struct region *region, uint64_t *page, unsigned order)
{
    while (buddy_is_free(region, *page, order)) {
        uint64_t buddy = *page ^ (1ul << order);

        LIST_REMOVE((struct free_block *)page_pointer(buddy), link);
        set_state(region, buddy > *page ? buddy : *page, STATE_INSIDE);
        *page = buddy < *page ? buddy : *page;
        order++;
    }
    return order;
}

static void merge_and_put(struct region *region, uint64_t page, unsigned order)
{
    order = merge(region, &page, order);
    put_free(region, page, order);
}

/*
 * Takes a block of ORDER from above a frontier. The pages skipped for alignment become free blocks;
 * what lies below them may have come back while they could not be merged with it.
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

            for (uint64_t inside = 1; inside < 1ul << skip; inside++)
                set_state(region, page + inside, STATE_INSIDE);
            region->frontier = page + (1ul << skip) - region->first;
            merge_and_put(region, page, skip);
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

static void *allocate(struct page_owner *owner, unsigned order)
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
    set_state(region, page, (USED + owner->number) * PAGE_ORDERS + order);
    owner->pages += 1ul << order;
    stats.allocations++;
    stats.free -= 1ul << order;
    if (stats.free < stats.lowest_free)
        stats.lowest_free = stats.free;
    return page_pointer(page);
}

void *page_alloc_for(struct page_owner *owner, unsigned order)
{
    uintptr_t state;
    void *block;

    if (order >= PAGE_ORDERS)
        return NULL;
    state = spinlock_acquire(&page_lock);
    block = allocate(owner, order);
    spinlock_release(&page_lock, state);
    return block;
}

void *page_alloc(unsigned order)
{
    return page_alloc_for(&others, order);
}

/* The state byte of an allocation; panics if BLOCK is none. */
static uint8_t used_state(const void *block, struct region **region)
{
    uint64_t page = page_number(block);

    *region = region_of(page);
    if (!*region || (uintptr_t)block % PAGE_SIZE ||
        page - (*region)->first >= (*region)->frontier ||
        (*region)->state[page - (*region)->first] / PAGE_ORDERS < USED)
        panic("page: %p is not an allocated block", block);
    return (*region)->state[page - (*region)->first];
}

unsigned page_order(const void *block)
{
    struct region *region;

    return used_state(block, &region) % PAGE_ORDERS;
}

void page_free(void *block)
{
    uintptr_t state = spinlock_acquire(&page_lock);
    struct region *region;
    uint8_t used = used_state(block, &region);
    unsigned order = used % PAGE_ORDERS;

    stats.frees++;
    stats.free += 1ul << order;
    owner_of(used / PAGE_ORDERS - USED)->pages -= 1ul << order;
    merge_and_put(region, page_number(block), order);
    spinlock_release(&page_lock, state);
}

void page_stats_get(struct page_stats *out)
{
    uintptr_t state = spinlock_acquire(&page_lock);

    *out = stats;
    spinlock_release(&page_lock, state);
}

static uint64_t all_pages(void *unused)
{
    (void)unused;
    return stats.total;
}

static uint64_t owned_pages(void *unused)
{
    struct page_owner *owner = NULL;
    uint64_t sum = stats.free;

    (void)unused;
    while ((owner = page_owner_next(owner)) != NULL)
        sum += owner->pages;
    return sum;
}

static uint64_t *total_word(void *unused)
{
    (void)unused;
    return &stats.total;
}

LAW(pages, .name = "pages", .about = &stats, .left = "all", .right = "free + every owner's",
    .get_left = all_pages, .get_right = owned_pages, .word = total_word);

static uint64_t free_pages(void *unused)
{
    (void)unused;
    return stats.free;
}

/* Found where they are. */
static uint64_t pages_found(void *unused)
{
    struct free_block *block;
    uint64_t sum = 0;

    (void)unused;
    for (unsigned i = 0; i < region_count; i++)
        sum += regions[i].count - regions[i].frontier;
    for (unsigned order = 0; order < PAGE_ORDERS; order++)
        LIST_FOREACH (block, &free_lists[order], link)
            sum += 1ul << order;
    return sum;
}

static uint64_t *free_word(void *unused)
{
    (void)unused;
    return &stats.free;
}

LAW(pages_free, .name = "pages-free", .about = &stats, .left = "free",
    .right = "in lists + never touched", .get_left = free_pages, .get_right = pages_found,
    .word = free_word);

static uint64_t planted_pairs;

/* Free blocks that could be one with their buddy. */
static uint64_t free_pairs(void *unused)
{
    uint64_t blocks = planted_pairs;

    (void)unused;
    for (unsigned order = 0; order < PAGE_ORDERS; order++) {
        struct free_block *block;

        LIST_FOREACH (block, &free_lists[order], link)
            blocks += buddy_is_free(region_of(page_number(block)), page_number(block), order);
    }
    return blocks / 2 + blocks % 2;
}

static uint64_t none(void *unused)
{
    (void)unused;
    return 0;
}

static uint64_t *pair_word(void *unused)
{
    (void)unused;
    return &planted_pairs;
}

LAW(pages_merged, .name = "pages-merged", .about = &stats, .left = "free pairs", .right = "none",
    .get_left = free_pairs, .get_right = none, .word = pair_word);
