/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of the pages behind small objects: when one is taken, kept, given back, and refused. */
#include "kernel/memory/kmem.h"
#include "kernel/memory/page.h"
#include "tests/kernel/selftest.h"

#define SIZE     1024u /* the largest class: */
#define CAPACITY 3u    /* of a page of 4096 bytes with a header */
#define CLASSES  16

struct held {
    struct held *next;
};

static struct kmem_class_stats slabs_now(void)
{
    struct kmem_class_stats classes[CLASSES];
    size_t count = kmem_stats_get(classes, CLASSES), i = 0;

    while (i + 1 < count && classes[i].size != SIZE)
        i++;
    return classes[i];
}

static struct held *slab_take(struct held **all)
{
    struct held *object = kmem_alloc(SIZE);

    if (object != NULL) {
        object->next = *all;
        *all = object;
    }
    return object;
}

static void slab_put(struct held **all)
{
    struct held *object = *all;

    *all = object->next;
    kmem_free(object);
}

/* Takes objects until a page has come for one: that one's page has no other object. */
static uint64_t fill(struct held **all)
{
    uint64_t before = slabs_now().pages;

    while (slabs_now().pages == before && slab_take(all) != NULL)
        ;
    return slabs_now().pages;
}

static int check_slabs(struct held **all)
{
    uint64_t pages = fill(all), allocations;
    struct page_stats stats;

    for (unsigned i = 1; i < CAPACITY; i++)
        slab_take(all);
    SELFTEST_EQUAL(slabs_now().pages, pages); /* the page is full */
    slab_take(all);
    SELFTEST_EQUAL(slabs_now().pages, pages + 1);
    page_stats_get(&stats);
    allocations = stats.allocations;
    for (unsigned i = 0; i < 3; i++) {
        slab_put(all);
        SELFTEST_EQUAL(slabs_now().pages, pages + 1); /* the only one with room: it stays */
        slab_take(all);
    }
    page_stats_get(&stats);
    SELFTEST_EQUAL(stats.allocations, allocations);
    for (unsigned i = 0; i < CAPACITY; i++)
        slab_take(all);
    SELFTEST_EQUAL(slabs_now().pages, pages + 2);
    slab_put(all); /* an empty page, and then a second one, which is given back */
    for (unsigned i = 1; i < CAPACITY; i++)
        slab_put(all);
    SELFTEST_EQUAL(slabs_now().pages, pages + 2);
    slab_put(all);
    SELFTEST_EQUAL(slabs_now().pages, pages + 1);
    return 0;
}

SELFTEST(kmem_slabs, "kmem-slabs",
         "a page is taken when all are full, kept while it is the only one with room, and given "
         "back")
{
    struct held *all = NULL;
    int failed = check_slabs(&all);

    while (all != NULL)
        slab_put(&all);
    return failed;
}

SELFTEST(kmem_exhaustion, "kmem-exhaustion",
         "a small object that no page can be had for is refused, and counted once")
{
    struct kmem_class_stats before = slabs_now(), during;
    struct held *pages = NULL, *objects = NULL, *page;

    while ((page = page_alloc(0)) != NULL) {
        page->next = pages;
        pages = page;
    }
    while (slab_take(&objects) != NULL)
        ;
    during = slabs_now();
    while (objects != NULL)
        slab_put(&objects);
    while ((page = pages) != NULL) {
        pages = page->next;
        page_free(page);
    }
    SELFTEST_EQUAL(during.failures, before.failures + 1);
    SELFTEST_EQUAL(slabs_now().in_use, before.in_use);
    return 0;
}
