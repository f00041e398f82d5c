/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Physical pages of 4 KiB: a buddy allocator over RAM regions. Memory is taken into the free lists
 * only as it is first needed (each region has a frontier), so that start-up costs the same with 16
 * MiB and with 4 GiB.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/linker_set.h"

#define PAGE_SIZE   4096ul
#define PAGE_SHIFT  12
#define PAGE_ORDERS 12 /* blocks of 2^0 .. 2^11 pages: a list of 100,000 counters is one */

struct page_stats {
    uint64_t total;       /* pages under management */
    uint64_t free;        /* pages not handed out */
    uint64_t lowest_free; /* the least that free has been */
    uint64_t allocations; /* successful page_alloc calls */
    uint64_t frees;
    uint64_t failures;   /* page_alloc calls that found nothing */
    uint64_t references; /* of all blocks that are handed out */
};

/*
 * Who has pages: a line beside the code that asks for them. It keeps no count of its own; what it
 * holds is counted when pages come and go.
 */
struct page_owner {
    const char *name;
    uint64_t pages; /* that it has now; the allocator's lock */
    unsigned number;
};
#define PAGE_OWNER(ident, owner_name)                                                              \
    static struct page_owner ident = {.name = (owner_name)};                                       \
    LINKER_SET_ADD(page_owners, ident)

/* Boot: hands [start, end) of physical RAM to the allocator, shrunk to whole pages. */
void page_add_region(uint64_t start, uint64_t end);

/*
 * The COUNT pages from START on, which are in use and part of no region (a boot module), are
 * OWNER's blocks of order 0 from now on, held once by whoever calls this, for ever: so they can be
 * held by others too. START is the kernel address of a page. False: no memory for their states.
 */
bool page_adopt(struct page_owner *owner, void *start, size_t count);

/* 2^order contiguous pages, aligned to their size, by kernel address; NULL if there are none. Not
 * cleared. Any context. */
void *page_alloc_for(struct page_owner *owner, unsigned order);
void *page_alloc(unsigned order); /* for the owner called "others" */
/* Gives back what page_alloc returned. The order is known. Panics on a pointer that is not an
 * allocation, and if anybody else holds it. */
void page_free(void *block);
/*
 * A block that several use (an address space that was copied, a cache) is held by each of them:
 * page_alloc's caller is the first. page_hold adds one; false: there are as many as can be counted
 * (2^20 - 1). page_release takes one away; true: it was the last, and the block is free. Whoever
 * finds page_references to be 1 in what it holds itself has the block alone. Any context.
 */
bool page_hold(void *block);
bool page_release(void *block);
unsigned page_references(const void *block);
/* The same for COUNT of them at once; page_hold_all holds all or none. */
bool page_hold_all(void *const *blocks, unsigned count);
void page_release_all(void *const *blocks, unsigned count);
/* BLOCK's pages are OWNER's from now on. Any context. */
void page_set_owner(void *block, struct page_owner *owner);
/* The order of an allocation. */
unsigned page_order(const void *block);
void page_stats_get(struct page_stats *out);
/* All of them; NULL begins and ends. */
struct page_owner *page_owner_next(const struct page_owner *owner);
