/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of whose small objects are. */
#include "kernel/base/symbol.h"
#include "kernel/memory/kmem.h"
#include "lib/string.h"
#include "tests/kernel/selftest.h"

#define OBJECTS 300u /* more than a page has */

static void *objects[OBJECTS];

static __attribute__((noinline)) void *kmem_caller_one(size_t size)
{
    void *object = kmem_alloc(size);

    return object ? memset(object, 0xff, size) : NULL;
}

static __attribute__((noinline)) void *kmem_caller_other(size_t size)
{
    void *object = kmem_zalloc(size);

    return object ? memset(object, 0xff, size) : NULL;
}

/* How many objects the function NAME has. */
static uint64_t has(const char *name)
{
    static struct kmem_caller callers[KMEM_CALLERS];
    size_t count = kmem_callers_get(callers, KMEM_CALLERS);
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        uintptr_t offset;
        const char *found = callers[i].pc ? symbol_find(callers[i].pc - 1, &offset) : NULL;

        if (found && strncmp(found, name, strlen(name)) == 0)
            sum += callers[i].in_use;
    }
    return sum;
}

/* The list has each place once and nothing else; one that has no object any more stays. */
static int kmem_caller_list(void)
{
    static struct kmem_caller callers[KMEM_CALLERS];
    unsigned ours = 0;
    size_t count;

    memset(callers, 0, sizeof callers);
    count = kmem_callers_get(callers, KMEM_CALLERS);
    SELFTEST_CHECK(count <= KMEM_CALLERS);
    for (size_t i = 0; i < count; i++) {
        uintptr_t offset;
        const char *found = callers[i].pc ? symbol_find(callers[i].pc - 1, &offset) : NULL;

        SELFTEST_CHECK(callers[i].pc != 0 || callers[i].in_use != 0);
        for (size_t other = 0; other < i; other++)
            SELFTEST_CHECK(callers[other].pc != callers[i].pc);
        if (found && strcmp(found, "kmem_caller_one") == 0) {
            SELFTEST_EQUAL(callers[i].in_use, 0);
            ours++;
        }
    }
    SELFTEST_EQUAL(ours, 1);
    return 0;
}

/* They write all of their objects, at every size, and nobody's number changes by that. */
static int many(size_t size)
{
    for (unsigned i = 0; i < OBJECTS; i++) {
        objects[i] = (i % 3 ? kmem_caller_one : kmem_caller_other)(size);
        SELFTEST_CHECK(objects[i] != NULL);
    }
    SELFTEST_EQUAL(has("kmem_caller_one"), OBJECTS / 3 * 2);
    SELFTEST_EQUAL(has("kmem_caller_other"), OBJECTS / 3);
    for (unsigned i = 0; i < OBJECTS; i += 3)
        kmem_free(objects[i]);
    SELFTEST_EQUAL(has("kmem_caller_one"), OBJECTS / 3 * 2);
    SELFTEST_EQUAL(has("kmem_caller_other"), 0);
    for (unsigned i = 0; i < OBJECTS; i++)
        if (i % 3)
            kmem_free(objects[i]);
    SELFTEST_EQUAL(has("kmem_caller_one"), 0);
    return 0;
}

SELFTEST(kmem_callers, "kmem-callers", "each small object is counted as that of who asked for it")
{
    for (size_t size = 1; size <= 1024; size = size * 2 - (size > 8))
        if (many(size) != 0)
            return 1;
    return many(1024) || many(32) || kmem_caller_list();
}
