/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorts event counters into buckets; see kstat_evcnt_table.h. It works on a report (a report is
 * true for one moment), and finds equal names by hashing, so it takes time in proportion to the
 * number of counters.
 */
#include "kernel/export/kstat_evcnt_table.h"
#include "kernel/memory/kmem.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "stats/evcnt/evcnt_export.h"
#include "stats/read/kstat_text.h"

#define ATTEMPTS    100
#define LEAST_INDEX 16u

/* A counter while the table is built. */
struct item {
    const struct evcnt_sysctl *record;
    uint32_t instance, bucket;
    struct hash_link link;
};

struct build {
    struct item *item;
    uint32_t count;
    struct hash_table index; /* of items by group and name: the youngest of those that are equal */
};

static uint32_t kstat_evcnt_table_hash_item(const char *group, const char *name)
{
    return hash_end(hash_text(hash_text(0, group), name));
}

static uint32_t kstat_evcnt_table_hash_bucket(const char *name, int instance)
{
    return hash_end(hash_text((uint32_t)instance, name));
}

static bool kstat_evcnt_table_index_alloc(struct hash_table *index, uint32_t count)
{
    struct hash_link **buckets;
    uint32_t size = LEAST_INDEX;

    while (size < count)
        size *= 2;
    buckets = kmem_alloc(size * sizeof(struct hash_link *));
    if (buckets != NULL)
        hash_table_init(index, buckets, size);
    return buckets != NULL;
}

static void kstat_evcnt_table_names_of(const struct item *item, char *group, char *name)
{
    kstat_text_shorten(group, evcnt_export_group(item->record));
    kstat_text_shorten(name, evcnt_export_name(item->record));
}

/* How many counters before ITEM have its group and name. */
static void kstat_evcnt_table_number_item(struct build *build, struct item *item)
{
    char group[KSTAT_STRLEN], name[KSTAT_STRLEN];
    struct hash_link *link;
    uint32_t hash;

    kstat_evcnt_table_names_of(item, group, name);
    hash = kstat_evcnt_table_hash_item(group, name);
    item->instance = 0;
    for (link = hash_table_first(&build->index, hash); link != NULL; link = hash_table_next(link)) {
        const struct item *other = HASH_ENTRY(link, struct item, link);
        char other_group[KSTAT_STRLEN], other_name[KSTAT_STRLEN];

        kstat_evcnt_table_names_of(other, other_group, other_name);
        if (strcmp(group, other_group) != 0 || strcmp(name, other_name) != 0)
            continue;
        item->instance = other->instance + 1;
        hash_table_remove(&build->index, link);
        break;
    }
    hash_table_insert(&build->index, &item->link, hash);
}

struct evcnt_bucket *evcnt_table_find(const struct evcnt_table *table, const char *name,
                                      int instance)
{
    struct hash_link *link;

    if (table->index.buckets == NULL)
        return NULL;
    for (link = hash_table_first(&table->index, kstat_evcnt_table_hash_bucket(name, instance));
         link != NULL; link = hash_table_next(link)) {
        struct evcnt_bucket *bucket = HASH_ENTRY(link, struct evcnt_bucket, link);

        if (bucket->instance == instance && strcmp(bucket->name, name) == 0)
            return bucket;
    }
    return NULL;
}

/* Its bucket, which is made if it is the first in it. */
static void kstat_evcnt_table_put_item(struct evcnt_table *table, struct item *item)
{
    char name[KSTAT_STRLEN];
    struct evcnt_bucket *bucket;

    kstat_text_shorten(name, evcnt_export_group(item->record));
    bucket = evcnt_table_find(table, name, (int)item->instance);
    if (bucket == NULL) {
        bucket = &table->buckets[table->buckets_count++];
        *bucket = (struct evcnt_bucket){.instance = (int)item->instance};
        strlcpy(bucket->name, name, sizeof(bucket->name));
        hash_table_insert(&table->index, &bucket->link,
                          kstat_evcnt_table_hash_bucket(name, bucket->instance));
    }
    item->bucket = (uint32_t)(bucket - table->buckets);
    bucket->count++;
}

/* Number the items, make the buckets, put the counters in. */
static void kstat_evcnt_table_sort(struct evcnt_table *table, struct build *build)
{
    uint32_t first = 0;

    for (uint32_t i = 0; i < build->count; i++) {
        kstat_evcnt_table_number_item(build, &build->item[i]);
        kstat_evcnt_table_put_item(table, &build->item[i]);
    }
    for (uint32_t i = 0; i < table->buckets_count; i++) {
        table->buckets[i].first = first;
        first += table->buckets[i].count;
        table->buckets[i].count = 0;
    }
    for (uint32_t i = 0; i < build->count; i++) {
        struct evcnt_bucket *bucket = &table->buckets[build->item[i].bucket];

        table->counters[bucket->first + bucket->count++] =
            (const struct evcnt *)(uintptr_t)build->item[i].record->ev_addr;
    }
}

static int kstat_evcnt_table_build_from(struct evcnt_table *table, const void *report, size_t size)
{
    const struct evcnt_sysctl *record = NULL;
    struct build build = {.count = 0};
    int error = -ENOMEM;

    while ((record = evcnt_export_next(report, size, record)) != NULL)
        build.count++;
    build.item = kmem_alloc((build.count + 1) * sizeof(build.item[0]));
    table->counters_count = build.count;
    table->counters = kmem_alloc((build.count + 1) * sizeof(table->counters[0]));
    table->buckets = kmem_alloc((build.count + 1) * sizeof(table->buckets[0]));
    if (kstat_evcnt_table_index_alloc(&build.index, build.count) &&
        kstat_evcnt_table_index_alloc(&table->index, build.count) && build.item != NULL &&
        table->counters != NULL && table->buckets != NULL) {
        for (uint32_t i = 0; (record = evcnt_export_next(report, size, record)) != NULL; i++)
            build.item[i] = (struct item){.record = record};
        kstat_evcnt_table_sort(table, &build);
        error = 0;
    }
    kmem_free(build.item);
    kmem_free(build.index.buckets);
    return error;
}

static void kstat_evcnt_table_keep_oldest(const struct evcnt *ev, size_t index, void *bucket)
{
    uint64_t *since = &((struct evcnt_bucket *)bucket)->since;

    (void)index;
    if (ev->ev_since < *since)
        *since = ev->ev_since;
}

/* False: a counter was detached since the report was taken. */
static bool kstat_evcnt_table_date(struct evcnt_table *table)
{
    for (uint32_t i = 0; i < table->buckets_count; i++) {
        struct evcnt_bucket *bucket = &table->buckets[i];

        bucket->since = UINT64_MAX;
        if (!evcnt_list_visit(&table->mark, table->counters + bucket->first, bucket->count,
                              kstat_evcnt_table_keep_oldest, bucket))
            return false;
    }
    return true;
}

static int kstat_evcnt_table_build_once(struct evcnt_table *table)
{
    size_t size, capacity;
    void *report;
    int error;

    evcnt_list_mark(&table->mark);
    error = evcnt_export_alloc(EVCNT_TYPE_ANY, KERN_EVCNT_COUNT_ANY, &report, &size, &capacity);
    if (error != 0)
        return error;
    error = kstat_evcnt_table_build_from(table, report, size);
    evcnt_export_free(report, capacity);
    return error != 0 || kstat_evcnt_table_date(table) ? error : -EAGAIN;
}

int evcnt_table_build(struct evcnt_table *table)
{
    int error = -EAGAIN;

    for (unsigned attempt = 0; error == -EAGAIN && attempt < ATTEMPTS; attempt++) {
        struct evcnt_table made = {.buckets_count = 0};

        error = kstat_evcnt_table_build_once(&made);
        if (error == 0)
            *table = made;
        else
            evcnt_table_free(&made);
    }
    return error;
}

void evcnt_table_free(struct evcnt_table *table)
{
    kmem_free(table->counters);
    kmem_free(table->buckets);
    kmem_free(table->index.buckets);
    *table = (struct evcnt_table){.buckets_count = 0};
}
