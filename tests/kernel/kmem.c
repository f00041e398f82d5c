/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of the small-object allocator: every class, alignment, many objects, statistics. */
#include "kernel/memory/kmem.h"
#include "kernel/memory/page.h"
#include "tests/kernel/selftest.h"

#define CLASSES_MAX 16
#define OBJECTS     600

static struct kmem_class_stats class_of(size_t size)
{
    struct kmem_class_stats classes[CLASSES_MAX];
    size_t count = kmem_stats_get(classes, CLASSES_MAX);

    for (size_t i = 0; i < count; i++)
        if (classes[i].size >= size)
            return classes[i];
    return classes[count - 1]; /* whole pages */
}

static int check_size(size_t size)
{
    struct kmem_class_stats before = class_of(size), during, after;
    unsigned char *object = kmem_alloc(size);

    SELFTEST_CHECK(object != NULL);
    during = class_of(size);
    SELFTEST_EQUAL((uintptr_t)object % 16, 0);
    SELFTEST_EQUAL(during.in_use, before.in_use + 1);
    SELFTEST_EQUAL(during.allocations, before.allocations + 1);
    if (size > 0)
        object[0] = object[size - 1] = 0x5a;
    kmem_free(object);
    after = class_of(size);
    SELFTEST_EQUAL(after.in_use, before.in_use);
    SELFTEST_EQUAL(after.frees, before.frees + 1);
    return 0;
}

SELFTEST(kmem_classes, "kmem-classes",
         "objects of every size are aligned and counted in their class")
{
    for (size_t size = 0; size <= 4 * PAGE_SIZE; size = size < 1100 ? size + 1 : size * 2 - 7)
        if (check_size(size) != 0)
            return 1;
    kmem_free(NULL);
    return 0;
}

SELFTEST(kmem_many, "kmem-many", "many objects of mixed sizes keep what is written to them")
{
    static const size_t sizes[] = {24, 32, 56, 100, 128, 250, 400, 512, 1000, 1500};
    static unsigned char *objects[OBJECTS];
    enum { SIZES = sizeof sizes / sizeof sizes[0] };

    for (unsigned i = 0; i < OBJECTS; i++) {
        size_t size = sizes[i % SIZES];

        objects[i] = kmem_alloc(size);
        SELFTEST_CHECK(objects[i] != NULL);
        for (size_t at = 0; at < size; at++)
            objects[i][at] = (unsigned char)(i + at);
    }
    for (unsigned step = 0; step < 2; step++) /* the odd ones first: pages get holes */
        for (unsigned i = 1 - step; i < OBJECTS; i += 2) {
            for (size_t at = 0; at < sizes[i % SIZES]; at++)
                SELFTEST_EQUAL(objects[i][at], (unsigned char)(i + at));
            kmem_free(objects[i]);
        }
    return 0;
}

SELFTEST(kmem_clear, "kmem-clear", "kmem_zalloc clears memory that was used before")
{
    for (size_t size = 1; size <= 2048; size *= 2) {
        unsigned char *object = kmem_alloc(size);

        SELFTEST_CHECK(object != NULL);
        for (size_t at = 0; at < size; at++)
            object[at] = 0xff;
        kmem_free(object);
        object = kmem_zalloc(size);
        SELFTEST_CHECK(object != NULL);
        for (size_t at = 0; at < size; at++)
            SELFTEST_EQUAL(object[at], 0);
        kmem_free(object);
    }
    return 0;
}

SELFTEST(kmem_refusal, "kmem-refusal", "what no memory could hold is refused and counted")
{
    uint64_t before = class_of(SIZE_MAX).failures;

    SELFTEST_CHECK(kmem_alloc(PAGE_SIZE << PAGE_ORDERS) == NULL);
    SELFTEST_CHECK(kmem_zalloc(SIZE_MAX) == NULL);
    SELFTEST_EQUAL(class_of(SIZE_MAX).failures, before + 2);
    return 0;
}
