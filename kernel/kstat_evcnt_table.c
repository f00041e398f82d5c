/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorts event counters into buckets; see kstat_evcnt_table.h. It works on a report (a report is
 * true for one moment), and finds equal names by hashing, so it takes time in proportion to the
 * number of counters.
 */
#include "kernel/kstat_evcnt_table.h"
#include "kernel/kmem.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "stats/evcnt_export.h"
#include "stats/kstat_text.h"

#define NONE     UINT32_MAX
#define ATTEMPTS 100

/* A counter while the table is built. */
struct item {
    const struct evcnt_sysctl *record;
    uint32_t instance, bucket;
};

struct build {
    struct item *item;
    uint32_t count;
    uint32_t *index; /* of items by group and name: the youngest of those that are equal */
    uint32_t index_size;
};

static uint32_t hash_text(uint32_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return (hash ^ 255) * 16777619u;
}

static uint32_t hash_bucket(const char *name, int instance)
{
    return hash_text(2166136261u ^ (uint32_t)instance * 2654435761u, name);
}

/* A power of two, at least twice the count. */
static uint32_t *index_alloc(uint32_t count, uint32_t *size)
{
    uint32_t *index;

    for (*size = 16; *size < count * 2; *size *= 2)
        ;
    index = kmem_alloc(*size * sizeof(*index));
    for (uint32_t i = 0; index != NULL && i < *size; i++)
        index[i] = NONE;
    return index;
}

static void names_of(const struct item *item, char *group, char *name)
{
    kstat_text_shorten(group, evcnt_export_group(item->record));
    kstat_text_shorten(name, evcnt_export_name(item->record));
}

/* How many counters before number AT have its group and name. */
static void number_item(struct build *build, uint32_t at)
{
    char group[KSTAT_STRLEN], name[KSTAT_STRLEN];
    uint32_t place;

    names_of(&build->item[at], group, name);
    place = hash_text(hash_text(2166136261u, group), name);
    for (;; place++) {
        uint32_t *slot = &build->index[place & (build->index_size - 1)];
        char other_group[KSTAT_STRLEN], other_name[KSTAT_STRLEN];

        build->item[at].instance = 0;
        if (*slot != NONE) {
            names_of(&build->item[*slot], other_group, other_name);
            if (strcmp(group, other_group) != 0 || strcmp(name, other_name) != 0)
                continue;
            build->item[at].instance = build->item[*slot].instance + 1;
        }
        *slot = at;
        return;
    }
}

static uint32_t *find_slot(const struct evcnt_table *table, const char *name, int instance)
{
    for (uint32_t place = hash_bucket(name, instance);; place++) {
        uint32_t *slot = &table->index[place & (table->index_size - 1)];

        if (*slot == NONE || (table->buckets[*slot].instance == instance &&
                              strcmp(table->buckets[*slot].name, name) == 0))
            return slot;
    }
}

struct evcnt_bucket *evcnt_table_find(const struct evcnt_table *table, const char *name,
                                      int instance)
{
    uint32_t slot = table->index != NULL ? *find_slot(table, name, instance) : NONE;

    return slot == NONE ? NULL : &table->buckets[slot];
}

/* Its bucket, which is made if it is the first in it. */
static void put_item(struct evcnt_table *table, struct item *item)
{
    char name[KSTAT_STRLEN];
    uint32_t *slot;

    kstat_text_shorten(name, evcnt_export_group(item->record));
    slot = find_slot(table, name, (int)item->instance);
    if (*slot == NONE) {
        struct evcnt_bucket *bucket = &table->buckets[table->buckets_count];

        *bucket = (struct evcnt_bucket){.instance = (int)item->instance};
        strlcpy(bucket->name, name, sizeof(bucket->name));
        *slot = table->buckets_count++;
    }
    item->bucket = *slot;
    table->buckets[*slot].count++;
}

/* Number the items, make the buckets, put the counters in. */
static void sort(struct evcnt_table *table, struct build *build)
{
    uint32_t first = 0;

    for (uint32_t i = 0; i < build->count; i++) {
        number_item(build, i);
        put_item(table, &build->item[i]);
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

static int build_from(struct evcnt_table *table, const void *report, size_t size)
{
    const struct evcnt_sysctl *record = NULL;
    struct build build = {.count = 0};
    int error = -ENOMEM;

    while ((record = evcnt_export_next(report, size, record)) != NULL)
        build.count++;
    build.item = kmem_alloc((build.count + 1) * sizeof(build.item[0]));
    build.index = index_alloc(build.count, &build.index_size);
    table->counters_count = build.count;
    table->counters = kmem_alloc((build.count + 1) * sizeof(table->counters[0]));
    table->buckets = kmem_alloc((build.count + 1) * sizeof(table->buckets[0]));
    table->index = index_alloc(build.count, &table->index_size);
    if (build.item != NULL && build.index != NULL && table->counters != NULL &&
        table->buckets != NULL && table->index != NULL) {
        for (uint32_t i = 0; (record = evcnt_export_next(report, size, record)) != NULL; i++)
            build.item[i] = (struct item){.record = record};
        sort(table, &build);
        error = 0;
    }
    kmem_free(build.item);
    kmem_free(build.index);
    return error;
}

static void keep_oldest(const struct evcnt *ev, size_t index, void *bucket)
{
    uint64_t *since = &((struct evcnt_bucket *)bucket)->since;

    (void)index;
    if (ev->ev_since < *since)
        *since = ev->ev_since;
}

/* False: a counter was detached since the report was taken. */
static bool date(struct evcnt_table *table)
{
    for (uint32_t i = 0; i < table->buckets_count; i++) {
        struct evcnt_bucket *bucket = &table->buckets[i];

        bucket->since = UINT64_MAX;
        if (!evcnt_list_visit(&table->mark, table->counters + bucket->first, bucket->count,
                              keep_oldest, bucket))
            return false;
    }
    return true;
}

static int build_once(struct evcnt_table *table)
{
    size_t size, capacity;
    void *report;
    int error;

    evcnt_list_mark(&table->mark);
    error = evcnt_export_alloc(EVCNT_TYPE_ANY, KERN_EVCNT_COUNT_ANY, &report, &size, &capacity);
    if (error != 0)
        return error;
    error = build_from(table, report, size);
    evcnt_export_free(report, capacity);
    return error != 0 || date(table) ? error : -EAGAIN;
}

int evcnt_table_build(struct evcnt_table *table)
{
    int error = -EAGAIN;

    for (unsigned attempt = 0; error == -EAGAIN && attempt < ATTEMPTS; attempt++) {
        struct evcnt_table made = {.buckets_count = 0};

        error = build_once(&made);
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
    kmem_free(table->index);
    *table = (struct evcnt_table){.buckets_count = 0};
}
