/* SPDX-License-Identifier: BSD-2-Clause */
/* The laws of pages: what is counted of them is what one finds. */
#include "kernel/base/law.h"
#include "kernel/memory/page_private.h"
#include "lib/string.h"

static uint64_t page_laws_all_pages(void *unused)
{
    (void)unused;
    return page_stats_now.total;
}

static uint64_t page_laws_owned_pages(void *unused)
{
    struct page_owner *owner = NULL;
    uint64_t sum = page_stats_now.free;

    (void)unused;
    while ((owner = page_owner_next(owner)) != NULL)
        sum += owner->pages;
    return sum;
}

static uint64_t *page_laws_total_word(void *unused)
{
    (void)unused;
    return &page_stats_now.total;
}

LAW(pages, .name = "pages", .about = &page_stats_now, .left = "all",
    .right = "free + every owner's", .get_left = page_laws_all_pages,
    .get_right = page_laws_owned_pages, .word = page_laws_total_word);

static uint64_t page_laws_free_pages(void *unused)
{
    (void)unused;
    return page_stats_now.free;
}

/* Found where they are. */
static uint64_t page_laws_pages_found(void *unused)
{
    struct page_free_block *block;
    uint64_t sum = 0;

    (void)unused;
    for (unsigned i = 0; i < page_region_count; i++)
        sum += page_regions[i].count - page_regions[i].frontier;
    for (unsigned order = 0; order < PAGE_ORDERS; order++)
        LIST_FOREACH (block, &page_free_lists[order], link)
            sum += 1ul << order;
    return sum;
}

static uint64_t *page_laws_free_word(void *unused)
{
    (void)unused;
    return &page_stats_now.free;
}

LAW(pages_free, .name = "pages-free", .about = &page_stats_now, .left = "free",
    .right = "in lists + never touched", .get_left = page_laws_free_pages,
    .get_right = page_laws_pages_found, .word = page_laws_free_word);

static uint64_t planted_pairs;

/* Free blocks that could be one with their buddy. */
static uint64_t page_laws_free_pairs(void *unused)
{
    uint64_t blocks = planted_pairs;

    (void)unused;
    for (unsigned order = 0; order < PAGE_ORDERS; order++) {
        struct page_free_block *block;

        LIST_FOREACH (block, &page_free_lists[order], link)
            blocks += page_has_free_buddy(block, order);
    }
    return blocks / 2 + blocks % 2;
}

static uint64_t page_laws_none(void *unused)
{
    (void)unused;
    return 0;
}

static uint64_t *page_laws_pair_word(void *unused)
{
    (void)unused;
    return &planted_pairs;
}

LAW(pages_merged, .name = "pages-merged", .about = &page_stats_now, .left = "free pairs",
    .right = "none", .get_left = page_laws_free_pairs, .get_right = page_laws_none,
    .word = page_laws_pair_word);

/* What the states say of the pages below the frontiers: a block, and then the next one. */
static uint64_t page_laws_sum_used(uint64_t (*of)(const struct page_state *,
                                                  const struct page_owner *),
                                   const struct page_owner *owner)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < page_region_count; i++) {
        const struct page_region *region = &page_regions[i];

        for (uint64_t page = 0; page < region->frontier; page += 1ul << region->state[page].order)
            if (region->state[page].kind == PAGE_USED)
                sum += of(&region->state[page], owner);
    }
    return sum;
}

static uint64_t pages_of(const struct page_state *state, const struct page_owner *owner)
{
    return state->owner == owner->number ? 1ul << state->order : 0;
}

static void *page_laws_next_owner(void *subject)
{
    return page_owner_next(subject);
}

static void page_laws_name_owner(const void *subject, char *buffer, size_t size)
{
    strlcpy(buffer, ((const struct page_owner *)subject)->name, size);
}

static const struct law_subjects owners = {page_laws_next_owner, page_laws_name_owner};

static uint64_t page_laws_owner_pages(void *owner)
{
    return ((const struct page_owner *)owner)->pages;
}

static uint64_t page_laws_owner_found(void *owner)
{
    return page_laws_sum_used(pages_of, owner);
}

static uint64_t *page_laws_owner_word(void *owner)
{
    return &((struct page_owner *)owner)->pages;
}

LAW(pages_owner, .name = "pages-owner", .subjects = &owners, .left = "owner's pages",
    .right = "blocks marked so", .get_left = page_laws_owner_pages,
    .get_right = page_laws_owner_found, .word = page_laws_owner_word);

static uint64_t page_laws_references(void *unused)
{
    (void)unused;
    return page_stats_now.references;
}

static uint64_t page_laws_references_of(const struct page_state *state,
                                        const struct page_owner *unused)
{
    (void)unused;
    return state->references;
}

static uint64_t page_laws_references_found(void *unused)
{
    (void)unused;
    return page_laws_sum_used(page_laws_references_of, NULL);
}

static uint64_t *page_laws_references_word(void *unused)
{
    (void)unused;
    return &page_stats_now.references;
}

LAW(pages_references, .name = "pages-references", .about = &page_stats_now,
    .left = "references given", .right = "sum over blocks", .get_left = page_laws_references,
    .get_right = page_laws_references_found, .word = page_laws_references_word);
