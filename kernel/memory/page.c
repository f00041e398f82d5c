/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page allocator. Each region of RAM keeps a word of state for each page at its end. Pages
 * below the region's frontier have a valid state and are free, allocated or part of a block; pages
 * above have never been touched. When the free lists have no block that is large enough, the
 * frontier moves up by one block.
 */
#include "kernel/memory/page.h"
#include <arch/memory.h>
#include <stdbool.h>
#include "kernel/base/panic.h"
#include "kernel/lock/spinlock.h"
#include "kernel/memory/page_private.h"
#include "lib/section.h"

#define REFERENCES ((1u << 20) - 1)

_Static_assert(sizeof(struct page_state) == 4, "a word for each page");
_Static_assert(PAGE_ORDERS <= 16, "order");

SHARED_BSS struct page_region page_regions[PAGE_REGIONS];
unsigned page_region_count;
SHARED_BSS struct page_list page_free_lists[PAGE_ORDERS];
static unsigned free_orders; /* bit N: that list is not empty */
struct page_stats page_stats_now;
struct spinlock page_lock = SPINLOCK_INITIALIZER("pages");

PAGE_OWNER(others, "others");

static struct page_owner *page_owner_of(unsigned number)
{
    return ((struct page_owner *const *)LINKER_SET_BEGIN(page_owners))[number];
}

struct page_owner *page_owner_next(const struct page_owner *owner)
{
    struct page_owner *const *next = (struct page_owner *const *)LINKER_SET_BEGIN(page_owners);

    next += owner ? owner->number + 1 : 0;
    return (const void *const *)next == LINKER_SET_END(page_owners) ? NULL : *next;
}

static uint64_t page_number(const void *pointer)
{
    return memory_physical(pointer) >> PAGE_SHIFT;
}

/* The one that was asked for last comes first: most pages are of one region. */
static inline struct page_region *page_region_of(uint64_t page)
{
    static struct page_region *recent = page_regions;
    struct page_region *region = recent;

    if (page - region->first < region->count)
        return region;
    for (unsigned i = 0; i < page_region_count; i++)
        if (page - page_regions[i].first < page_regions[i].count)
            return recent = &page_regions[i];
    return NULL;
}

static void *page_pointer(uint64_t page)
{
    return memory_pointer(page << PAGE_SHIFT);
}

static struct page_state *page_state_of(const struct page_region *region, uint64_t page)
{
    return &region->state[page - region->first];
}

static void page_set_inside(struct page_region *region, uint64_t page)
{
    *page_state_of(region, page) = (struct page_state){.kind = PAGE_INSIDE};
}

static void page_put_free(struct page_region *region, uint64_t page, unsigned order)
{
    struct page_free_block *block = page_pointer(page);

    *page_state_of(region, page) = (struct page_state){.kind = PAGE_FREE, .order = order & 15};
    LIST_INSERT_HEAD(&page_free_lists[order], block, link);
    free_orders |= 1u << order;
}

/* Off the list of ORDER. */
static void page_take_free(struct page_free_block *block, unsigned order)
{
    LIST_REMOVE(block, link);
    if (LIST_EMPTY(&page_free_lists[order]))
        free_orders &= ~(1u << order);
}

/* Whether the block of ORDER at PAGE has a buddy below the frontier that is free in whole. */
static bool page_buddy_is_free(const struct page_region *region, uint64_t page, unsigned order)
{
    uint64_t buddy = page ^ (1ul << order);
    const struct page_state *state;

    if (order + 1 >= PAGE_ORDERS || buddy < region->first ||
        buddy - region->first + (1ul << order) > region->frontier)
        return false;
    state = page_state_of(region, buddy);
    return state->kind == PAGE_FREE && state->order == order;
}

bool page_has_free_buddy(const struct page_free_block *block, unsigned order)
{
    uint64_t page = page_number(block);

    return page_buddy_is_free(page_region_of(page), page, order);
}

/* Joins the block at PAGE with its free buddies; returns the order reached. */
static unsigned page_merge_free(struct page_region *region, uint64_t *page, unsigned order)
{
    while (page_buddy_is_free(region, *page, order)) {
        uint64_t buddy = *page ^ (1ul << order);

        page_take_free(page_pointer(buddy), order);
        page_set_inside(region, buddy > *page ? buddy : *page);
        *page = buddy < *page ? buddy : *page;
        order++;
    }
    return order;
}

static void page_merge_and_put(struct page_region *region, uint64_t page, unsigned order)
{
    order = page_merge_free(region, &page, order);
    page_put_free(region, page, order);
}

/*
 * Takes a block of ORDER, at *TAKEN, from above a frontier. The pages skipped for alignment become
 * free blocks; what lies below them may have come back while they could not be merged with it.
 */
static bool page_grow(unsigned order, uint64_t *taken)
{
    for (unsigned i = 0; i < page_region_count; i++) {
        struct page_region *region = &page_regions[i];
        uint64_t page = region->first + region->frontier;
        uint64_t end = region->first + region->count;
        uint64_t aligned = (page + (1ul << order) - 1) & ~((1ul << order) - 1);

        if (aligned + (1ul << order) > end)
            continue;
        while (page < aligned) {
            unsigned skip = (unsigned)__builtin_ctzl(page);

            for (uint64_t inside = 1; inside < 1ul << skip; inside++)
                page_set_inside(region, page + inside);
            region->frontier = page + (1ul << skip) - region->first;
            page_merge_and_put(region, page, skip);
            page += 1ul << skip;
        }
        for (uint64_t inside = 1; inside < 1ul << order; inside++)
            page_set_inside(region, aligned + inside);
        *taken = aligned;
        region->frontier = aligned + (1ul << order) - region->first;
        return true;
    }
    return false;
}

/* The smallest listed block of at least ORDER, taken off its list; -1 if none. */
static int page_take_listed(unsigned order, uint64_t *page)
{
    unsigned orders = free_orders >> order << order;
    struct page_free_block *block;
    int have;

    if (!orders)
        return -1;
    have = __builtin_ctz(orders);
    block = LIST_FIRST(&page_free_lists[have]);
    page_take_free(block, (unsigned)have);
    *page = page_number(block);
    return have;
}

static void *page_allocate(struct page_owner *owner, unsigned order)
{
    struct page_region *region;
    uint64_t page = 0;
    int have = page_take_listed(order, &page);

    if (have < 0 && page_grow(order, &page))
        have = (int)order;
    if (have < 0) {
        page_stats_now.failures++;
        return NULL;
    }
    region = page_region_of(page);
    while ((unsigned)have > order) {
        have--;
        page_put_free(region, page + (1ul << have), (unsigned)have);
    }
    *page_state_of(region, page) = (struct page_state){
        .references = 1, .owner = owner->number & 63, .order = order & 15, .kind = PAGE_USED};
    owner->pages += 1ul << order;
    page_stats_now.references++;
    page_stats_now.allocations++;
    page_stats_now.free -= 1ul << order;
    if (page_stats_now.free < page_stats_now.lowest_free)
        page_stats_now.lowest_free = page_stats_now.free;
    return page_pointer(page);
}

void *page_alloc_for(struct page_owner *owner, unsigned order)
{
    uintptr_t state;
    void *block;

    if (order >= PAGE_ORDERS)
        return NULL;
    state = spinlock_acquire(&page_lock);
    block = page_allocate(owner, order);
    spinlock_release(&page_lock, state);
    return block;
}

void *page_alloc(unsigned order)
{
    return page_alloc_for(&others, order);
}

static __attribute__((noinline)) _Noreturn void page_not_used(const void *block)
{
    panic("page: %p is not an allocated block", block);
}

/* The state of an allocation; panics if BLOCK is none. */
static inline struct page_state *page_used_state(const void *block, struct page_region **region)
{
    uint64_t page = page_number(block);
    struct page_state *used;

    *region = page_region_of(page);
    if (!*region || (uintptr_t)block % PAGE_SIZE || page - (*region)->first >= (*region)->frontier)
        page_not_used(block);
    used = page_state_of(*region, page);
    if (used->kind != PAGE_USED)
        page_not_used(block);
    return used;
}

unsigned page_order(const void *block)
{
    struct page_region *region;

    return page_used_state(block, &region)->order;
}

unsigned page_references(const void *block)
{
    uintptr_t state = spinlock_acquire(&page_lock);
    struct page_region *region;
    unsigned references = page_used_state(block, &region)->references;

    spinlock_release(&page_lock, state);
    return references;
}

/* Under the lock. */
static inline bool page_hold_locked(void *block)
{
    struct page_region *region;
    struct page_state *used = page_used_state(block, &region);

    if (used->references == REFERENCES)
        return false;
    used->references++;
    page_stats_now.references++;
    return true;
}

/* One reference less; of the last one the block is free. Under the lock. */
static inline bool page_release_locked(void *block, bool only)
{
    struct page_region *region;
    struct page_state *used = page_used_state(block, &region);
    unsigned order = used->order;
    bool last = used->references == 1;

    if (only && !last)
        panic("page: %p is freed, but others hold it", block);
    page_stats_now.references--;
    if (last) {
        page_stats_now.frees++;
        page_stats_now.free += 1ul << order;
        page_owner_of(used->owner)->pages -= 1ul << order;
        page_merge_and_put(region, page_number(block), order);
    } else {
        used->references--;
    }
    return last;
}

bool page_hold_all(void *const *blocks, unsigned count)
{
    uintptr_t state = spinlock_acquire(&page_lock);
    unsigned held = 0;

    while (held < count && page_hold_locked(blocks[held]))
        held++;
    for (unsigned i = held; held < count && i-- > 0;)
        page_release_locked(blocks[i], false);
    spinlock_release(&page_lock, state);
    return held == count;
}

void page_release_all(void *const *blocks, unsigned count)
{
    uintptr_t state = spinlock_acquire(&page_lock);

    for (unsigned i = 0; i < count; i++)
        page_release_locked(blocks[i], false);
    spinlock_release(&page_lock, state);
}

bool page_hold(void *block)
{
    return page_hold_all(&block, 1);
}

static bool page_release_one(void *block, bool only)
{
    uintptr_t state = spinlock_acquire(&page_lock);
    bool last = page_release_locked(block, only);

    spinlock_release(&page_lock, state);
    return last;
}

bool page_release(void *block)
{
    return page_release_one(block, false);
}

void page_free(void *block)
{
    page_release_one(block, true);
}

void page_set_owner(void *block, struct page_owner *owner)
{
    uintptr_t state = spinlock_acquire(&page_lock);
    struct page_region *region;
    struct page_state *used = page_used_state(block, &region);

    page_owner_of(used->owner)->pages -= 1ul << used->order;
    owner->pages += 1ul << used->order;
    used->owner = owner->number & 63;
    spinlock_release(&page_lock, state);
}

void page_stats_get(struct page_stats *out)
{
    uintptr_t state = spinlock_acquire(&page_lock);

    *out = page_stats_now;
    spinlock_release(&page_lock, state);
}
