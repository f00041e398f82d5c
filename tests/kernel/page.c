/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of the page allocator: split and merge, alignment, exhaustion. */
#include "kernel/memory/page.h"
#include <arch/memory.h>
#include "kernel/memory/kmem.h"
#include "kernel/base/law.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/taken.h"
#include "kernel/thread/law_check.h"

#define LARGEST (PAGE_ORDERS - 1)

static struct page_stats page_stats_now(void)
{
    struct page_stats stats;

    page_stats_get(&stats);
    return stats;
}

/* Takes every block of ORDER that there is; their number. */
static uint64_t take_all(unsigned order, struct taken **all)
{
    uint64_t count = 0;

    while (taken_push(all, page_alloc(order)))
        count++;
    return count;
}

SELFTEST(page_alignment, "page-alignment",
         "a block of every order is aligned to its size, counted, and given back")
{
    struct page_stats before = page_stats_now(), after;
    unsigned orders = 0;

    /* With little memory the largest blocks may be nowhere in one piece. */
    while (orders < PAGE_ORDERS && 3ul << orders <= before.total)
        orders++;
    for (unsigned order = 0; order < orders; order++) {
        char *block = page_alloc(order);

        SELFTEST_CHECK(block != NULL);
        SELFTEST_EQUAL((uintptr_t)block % (PAGE_SIZE << order), 0);
        SELFTEST_EQUAL(page_order(block), order);
        SELFTEST_EQUAL(before.free - page_stats_now().free, 1ul << order);
        block[0] = block[(PAGE_SIZE << order) - 1] = 1;
        page_free(block);
    }
    after = page_stats_now();
    SELFTEST_EQUAL(after.free, before.free);
    SELFTEST_EQUAL(after.allocations - before.allocations, orders);
    SELFTEST_EQUAL(after.frees - before.frees, orders);
    SELFTEST_EQUAL(after.failures, before.failures);
    SELFTEST_CHECK(after.lowest_free <= after.free);
    SELFTEST_CHECK(page_alloc(PAGE_ORDERS) == NULL);
    return 0;
}

SELFTEST(page_split, "page-split", "blocks of mixed orders never overlap")
{
    enum { BLOCKS = 64 };
    static uint64_t *blocks[BLOCKS];
    uint64_t free = page_stats_now().free;
    unsigned order_of[4] = {0, 2, 1, 3};

    for (unsigned i = 0; i < BLOCKS; i++) {
        size_t words = (PAGE_SIZE << order_of[i % 4]) / sizeof(uint64_t);

        blocks[i] = page_alloc(order_of[i % 4]);
        SELFTEST_CHECK(blocks[i] != NULL);
        for (size_t word = 0; word < words; word += 64)
            blocks[i][word] = i;
    }
    for (unsigned i = 0; i < BLOCKS; i++) {
        size_t words = (PAGE_SIZE << order_of[i % 4]) / sizeof(uint64_t);

        for (size_t word = 0; word < words; word += 64)
            SELFTEST_EQUAL(blocks[i][word], i);
    }
    for (unsigned i = 0; i < BLOCKS; i++)
        page_free(blocks[i * 7 % BLOCKS]);
    SELFTEST_EQUAL(page_stats_now().free, free);
    return 0;
}

SELFTEST(page_exhaustion, "page-exhaustion",
         "all memory can be had, then none, and it merges back into large blocks")
{
    struct taken *all = NULL;
    struct page_stats before = page_stats_now(), empty;
    uint64_t large = take_all(LARGEST, &all), again;
    void *page, *object;

    for (unsigned order = LARGEST; order-- > 0;)
        take_all(order, &all);
    empty = page_stats_now();
    page = page_alloc(0);
    object = kmem_alloc(2 * PAGE_SIZE);
    taken_give_back(&all, page_free);
    SELFTEST_CHECK(page == NULL && object == NULL);
    SELFTEST_EQUAL(empty.free, 0);
    SELFTEST_EQUAL(empty.lowest_free, 0);
    SELFTEST_EQUAL(page_stats_now().failures - empty.failures, 2);
    SELFTEST_EQUAL(empty.failures - before.failures, PAGE_ORDERS);
    SELFTEST_EQUAL(page_stats_now().free, before.free);
    again = take_all(LARGEST, &all);
    taken_give_back(&all, page_free);
    SELFTEST_EQUAL(again, large);
    return 0;
}

SELFTEST(page_merge, "page-merge",
         "memory cut into single pages merges again, in whatever order it comes back")
{
    struct taken *all = NULL, *rest = NULL;
    uint64_t large = take_all(LARGEST, &all), again;

    taken_give_back(&all, page_free);
    for (unsigned i = 0; i < 3000; i++)
        SELFTEST_CHECK(taken_push(i % 3 ? &all : &rest, page_alloc(0)));
    taken_give_back(&all, page_free);
    taken_give_back(&rest, page_free);
    again = take_all(LARGEST, &all);
    taken_give_back(&all, page_free);
    SELFTEST_CHECK(again >=
                   large); /* more, where an earlier test's last thread was buried meanwhile */
    return 0;
}

/*
 * A page that came back while the one beside it lay above the frontier, which then moves on. In a
 * fresh boot half of the memory has never been touched, and is taken page by page.
 */
SELFTEST(page_frontier, "page-frontier", "what lies below the frontier merges with what it passes")
{
    struct taken *all = NULL;
    struct law_check passed = {.only = law_find("pages-merged")}, after = passed;
    uint64_t half = page_stats_now().free / 2;
    bool odd;
    void *block;

    SELFTEST_CHECK(passed.only != NULL);
    do {
        if (!taken_push(&all, page_alloc(0)))
            break;
        odd = memory_physical(all) >> PAGE_SHIFT & 1;
    } while (page_stats_now().free > half || odd);
    if (all)
        page_free(taken_pop(&all));
    block = page_alloc(LARGEST);
    SELFTEST_EQUAL(law_check(&passed), 0);
    if (block)
        page_free(block);
    taken_give_back(&all, page_free);
    SELFTEST_EQUAL(passed.violations, 0);
    SELFTEST_EQUAL(law_check(&after), 0);
    SELFTEST_EQUAL(after.violations, 0);
    return 0;
}
