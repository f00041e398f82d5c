/* SPDX-License-Identifier: BSD-2-Clause */
/* kstats of memory: unix:0:system_pages, and unix:0:kmem_alloc_SIZE for each class
 * of objects. */
#include "kernel/memory/kmem.h"
#include "stats/kstat/kstat_values.h"
#include "kernel/device/late.h"
#include "kernel/base/machine.h"
#include "kernel/memory/page.h"
#include "lib/errno.h"
#include "lib/format.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CLASSES_MAX  16

/* Pages, but for the calls. */
static const struct kstat_value page_values[] = {
    {"physmem", KSTAT_DATA_UINT64},      {"pagestotal", KSTAT_DATA_UINT64},
    {"pagesfree", KSTAT_DATA_UINT64},    {"freemem", KSTAT_DATA_UINT64},
    {"pp_kernel", KSTAT_DATA_UINT64},    {"lowest_free", KSTAT_DATA_UINT64},
    {"nalloc_calls", KSTAT_DATA_UINT64}, {"nfree_calls", KSTAT_DATA_UINT64},
    {"alloc_fail", KSTAT_DATA_UINT64},
};

static int kstat_memory_update_pages(kstat_t *ksp, int how)
{
    struct page_stats pages;

    if (how == KSTAT_WRITE)
        return EACCES;
    page_stats_get(&pages);
    const uint64_t numbers[] = {
        machine_memory_size() / PAGE_SIZE,
        pages.total,
        pages.free,
        pages.free,
        pages.total - pages.free,
        pages.lowest_free,
        pages.allocations,
        pages.frees,
        pages.failures,
    };
    _Static_assert(COUNT(numbers) == COUNT(page_values), "a number for each name");
    return kstat_values_set(ksp, numbers);
}

/* The last class is what is larger than all: its buf_size is 0, and its slabs are pages. */
static const struct kstat_value kmem_values[] = {
    {"buf_size", KSTAT_DATA_UINT64},   {"align", KSTAT_DATA_UINT64},
    {"slab_size", KSTAT_DATA_UINT64},  {"slabs", KSTAT_DATA_UINT64},
    {"alloc", KSTAT_DATA_UINT64},      {"free", KSTAT_DATA_UINT64},
    {"alloc_fail", KSTAT_DATA_UINT64}, {"buf_inuse", KSTAT_DATA_UINT64},
};

static int kstat_memory_update_kmem(kstat_t *ksp, int how)
{
    struct kmem_class_stats classes[CLASSES_MAX], *of = &classes[(uintptr_t)ksp->ks_private];

    if (how == KSTAT_WRITE)
        return EACCES;
    kmem_stats_get(classes, CLASSES_MAX);
    const uint64_t numbers[] = {
        of->size, 16, PAGE_SIZE, of->pages, of->allocations, of->frees, of->failures, of->in_use,
    };
    _Static_assert(COUNT(numbers) == COUNT(kmem_values), "a number for each name");
    return kstat_values_set(ksp, numbers);
}

static void kstat_memory_create(void)
{
    struct kmem_class_stats classes[CLASSES_MAX];
    size_t count = kmem_stats_get(classes, CLASSES_MAX);

    kstat_values_create("unix", 0, "system_pages", "pages", page_values, COUNT(page_values),
                        kstat_memory_update_pages, NULL, 0);
    for (size_t i = 0; i < count && i < CLASSES_MAX; i++) {
        char name[KSTAT_STRLEN];

        if (classes[i].size != 0)
            format(name, sizeof(name), "kmem_alloc_%zu", classes[i].size);
        else
            format(name, sizeof(name), "kmem_alloc_pages");
        kstat_values_create("unix", 0, name, "kmem_cache", kmem_values, COUNT(kmem_values),
                            kstat_memory_update_kmem, (void *)i, 0);
    }
}
LATE(7, kstat_memory_create);
