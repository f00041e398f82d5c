/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of who has a page, and how many do. */
#include <arch/aspace.h>
#include "kernel/base/law.h"
#include "kernel/cpu/preempt.h"
#include "kernel/memory/page.h"
#include "kernel/thread/law_check.h"
#include "kernel/thread/thread.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/user_word.h"

#define AT      0x10000000ul
#define SHARERS 50u
#define RW      (ASPACE_READ | ASPACE_WRITE)

PAGE_OWNER(mine, "tests");

static struct page_stats page_owner_stats_now(void)
{
    struct page_stats stats;

    page_stats_get(&stats);
    return stats;
}

static uint64_t violations(const char *name)
{
    struct law_check check = {.only = law_find(name)};

    return !check.only || law_check(&check) != 0 ? 99 : check.violations;
}

SELFTEST(page_references, "page-references",
         "a block is free when the last who holds it lets it go")
{
    struct page_stats before = page_owner_stats_now();
    void *block = page_alloc_for(&mine, 1);
    uint64_t others;

    SELFTEST_CHECK(block != NULL);
    SELFTEST_EQUAL(page_references(block), 1);
    for (unsigned i = 1; i < SHARERS; i++) {
        SELFTEST_CHECK(page_hold(block));
        SELFTEST_EQUAL(page_references(block), i + 1);
    }
    SELFTEST_EQUAL(page_owner_stats_now().references - before.references, SHARERS);
    SELFTEST_EQUAL(violations("pages-references"), 0);
    for (unsigned i = SHARERS; i > 1; i--) {
        SELFTEST_CHECK(!page_release(block));
        SELFTEST_EQUAL(page_references(block), i - 1);
    }
    SELFTEST_EQUAL(before.free - page_owner_stats_now().free, 2);
    SELFTEST_EQUAL(mine.pages, 2);
    SELFTEST_CHECK(page_release(block));
    others = page_owner_stats_now().free;
    SELFTEST_EQUAL(others, before.free);
    SELFTEST_EQUAL(mine.pages, 0);
    SELFTEST_EQUAL(page_owner_stats_now().references, before.references);
    SELFTEST_EQUAL(violations("pages-references"), 0);
    return 0;
}

SELFTEST(page_many_references, "page-many-references",
         "a page can be held a million times, and says when that is too often")
{
    void *page = page_alloc_for(&mine, 0);
    unsigned held = 1;

    SELFTEST_CHECK(page != NULL);
    while (held < 1u << 21 && page_hold(page))
        held++;
    SELFTEST_EQUAL(held, (1u << 20) - 1);
    SELFTEST_EQUAL(page_references(page), held);
    while (held > 1 && !page_release(page))
        held--;
    SELFTEST_EQUAL(held, 1);
    page_free(page);
    return 0;
}

/* Each owner's count, once more than a page of it. */
static int check_owner(struct page_owner *owner)
{
    uint64_t before = owner->pages;
    void *pages = page_alloc_for(owner, 2);

    SELFTEST_CHECK(pages != NULL);
    SELFTEST_EQUAL(owner->pages - before, 4);
    page_set_owner(pages, &mine);
    SELFTEST_EQUAL(owner->pages - before, owner == &mine ? 4 : 0);
    SELFTEST_EQUAL(mine.pages, 4);
    page_set_owner(pages, owner);
    SELFTEST_EQUAL(owner->pages - before, 4);
    page_free(pages);
    SELFTEST_EQUAL(owner->pages, before);
    return 0;
}

SELFTEST_ONE_CPU(page_owners, "page-owners",
                 "pages of every owner are counted as its own, also when they change hands")
{
    struct page_owner *owner = NULL;
    unsigned count = 0;
    int result = 0;

    preempt_disable();
    while (result == 0 && (owner = page_owner_next(owner)) != NULL) {
        result = check_owner(owner);
        count++;
    }
    preempt_enable();
    SELFTEST_CHECK(count >= 5);
    SELFTEST_EQUAL(violations("pages-owner"), 0);
    SELFTEST_EQUAL(violations("pages"), 0);
    return result;
}

/* Shared by two address spaces until one of them writes. */
static int copy_on_write(struct aspace *const spaces[2], uint64_t *shared, uint64_t **copy)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < 2; i++)
        SELFTEST_EQUAL(aspace_map(spaces[i], AT, memory_physical(shared), PAGE_SIZE, ASPACE_READ),
                       0);
    SELFTEST_CHECK(page_hold(shared));
    thread_set_aspace(spaces[1]);
    SELFTEST_CHECK(!user_word_write(AT, 6));
    *copy = page_alloc_for(&mine, 0);
    SELFTEST_CHECK(*copy != NULL);
    (*copy)[0] = shared[0];
    SELFTEST_EQUAL(aspace_unmap(spaces[1], AT, PAGE_SIZE, NULL, NULL), 1);
    SELFTEST_CHECK(!page_release(shared));
    SELFTEST_EQUAL(aspace_map(spaces[1], AT, memory_physical(*copy), PAGE_SIZE, RW), 0);
    SELFTEST_CHECK(user_word_write(AT, 6));
    thread_set_aspace(spaces[0]);
    SELFTEST_CHECK(user_word_read(AT, &value));
    SELFTEST_EQUAL(value, 5);
    SELFTEST_EQUAL(page_references(shared), 1); /* so it may be written in place */
    SELFTEST_EQUAL(aspace_protect(spaces[0], AT, PAGE_SIZE, RW), 0);
    SELFTEST_CHECK(user_word_write(AT, 7));
    SELFTEST_EQUAL(shared[0], 7);
    SELFTEST_EQUAL((*copy)[0], 6);
    return 0;
}

static void let_go(void *unused, uint64_t physical)
{
    (void)unused;
    page_release(memory_pointer(physical));
}

SELFTEST(page_copy, "page-copy", "a page that two address spaces share is copied when one writes")
{
    struct aspace *spaces[2] = {aspace_create(), aspace_create()};
    uint64_t *shared = page_alloc_for(&mine, 0), *copy = NULL;
    int result;

    SELFTEST_CHECK(spaces[0] && spaces[1] && shared);
    shared[0] = 5;
    result = copy_on_write(spaces, shared, &copy);
    thread_set_aspace(NULL);
    for (unsigned i = 0; i < 2; i++) {
        aspace_unmap(spaces[i], AT, PAGE_SIZE, let_go, NULL);
        aspace_destroy(spaces[i]);
    }
    if (result == 0)
        SELFTEST_EQUAL(mine.pages, 0);
    return result;
}
