/* SPDX-License-Identifier: BSD-2-Clause */
/* The allocator's tables, for page.c and page_laws.c. Under its lock, or at a standstill. */
#pragma once

#include <stdbool.h>
#include <sys/queue.h>
#include "kernel/lock/spinlock.h"
#include "kernel/memory/page.h"

#define PAGE_REGIONS 16

enum page_kind { PAGE_FREE, PAGE_INSIDE, PAGE_USED };

/* Of the first page of a block, all; later ones are PAGE_INSIDE. */
struct page_state {
    uint32_t references : 20; /* of PAGE_USED: 1 or more */
    uint32_t owner : 6;       /* struct page_owner: number */
    uint32_t order : 4;
    uint32_t kind : 2; /* enum page_kind */
};

struct page_free_block { /* lies in the free page itself */
    LIST_ENTRY(page_free_block) link;
};
LIST_HEAD(page_list, page_free_block);

struct page_region {
    uint64_t first, count; /* page numbers */
    uint64_t frontier;     /* pages of the region handed out so far; aligned blocks only */
    struct page_state *state;
};

extern struct page_region page_regions[PAGE_REGIONS];
extern unsigned page_region_count;
extern struct page_list page_free_lists[PAGE_ORDERS];
extern struct page_stats page_stats_now;
extern struct spinlock page_lock;

/* Whether BLOCK, on the list of ORDER, could be one with its buddy. */
bool page_has_free_buddy(const struct page_free_block *block, unsigned order);
