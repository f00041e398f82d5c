/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event counters as kstats. One table says which counter belongs to which kstat; it is made anew
 * when counters were attached or detached, at the next reading. kstats come and go in
 * kstat_evcnt_refresh only.
 */
#include "kernel/export/kstat_evcnt.h"
#include <sys/kstat.h>
#include "kernel/time/clock.h"
#include "kernel/memory/kmem.h"
#include "kernel/export/kstat_evcnt_table.h"
#include "kernel/device/late.h"
#include "kernel/thread/mutex.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "stats/read/kstat_text.h"

/* A kstat. Under table_lock, but for `next` and `kstat`, which are the refresher's. */
struct evcnt_group {
    struct evcnt_group *next;
    kstat_t *kstat;
    struct evcnt_bucket *bucket; /* NULL: it has no counters any more */
    char name[KSTAT_STRLEN];
    int instance;
};

/* The first is held by who makes and deletes kstats; the second, which is their ks_lock, by who
 * uses the table. */
static kmutex_t refresh_lock, table_lock;
static struct evcnt_table table;
static struct evcnt_group *groups;

/* Makes the table true, if it is not. table_lock held. */
static int kstat_evcnt_renew(void)
{
    struct evcnt_table fresh;
    int error;

    if (table.index.buckets != NULL && evcnt_list_is_same(&table.mark))
        return 0;
    error = evcnt_table_build(&fresh);
    if (error != 0)
        return error;
    evcnt_table_free(&table);
    table = fresh;
    for (struct evcnt_group *group = groups; group != NULL; group = group->next) {
        group->bucket = evcnt_table_find(&table, group->name, group->instance);
        if (group->bucket != NULL)
            group->bucket->group = group;
    }
    return 0;
}

static int kstat_evcnt_update(kstat_t *ksp, int how)
{
    const struct evcnt_group *group = ksp->ks_private;
    int error;

    if (how == KSTAT_WRITE)
        return EACCES;
    error = kstat_evcnt_renew();
    if (error != 0)
        return -error;
    ksp->ks_ndata = group->bucket != NULL ? group->bucket->count : 0;
    ksp->ks_data_size = ksp->ks_ndata * sizeof(kstat_named_t);
    return 0;
}

static void kstat_evcnt_copy(const struct evcnt *ev, size_t at, void *argument)
{
    kstat_named_t *record = (kstat_named_t *)argument + at;

    memset(record, 0, sizeof(*record));
    kstat_text_shorten(record->name, ev->ev_name);
    record->data_type = KSTAT_DATA_UINT64;
    record->value.ui64 = evcnt_value(ev);
}

static int kstat_evcnt_snapshot(kstat_t *ksp, void *data, int how)
{
    const struct evcnt_group *group = ksp->ks_private;

    if (how == KSTAT_WRITE)
        return EACCES;
    ksp->ks_snaptime = (hrtime_t)clock_now();
    if (group->bucket != NULL &&
        !evcnt_list_visit(&table.mark, table.counters + group->bucket->first, group->bucket->count,
                          kstat_evcnt_copy, data))
        return EAGAIN; /* one was detached since update looked */
    return 0;
}

/* A kstat for the first bucket that has none and may get one. False: there is none. */
static bool kstat_evcnt_create_one(uint32_t *from)
{
    struct evcnt_group *group = NULL;

    mutex_enter(&table_lock);
    while (*from < table.buckets_count && table.buckets[*from].group != NULL)
        ++*from;
    if (*from < table.buckets_count)
        group = kmem_zalloc(sizeof(*group));
    if (group != NULL) {
        group->bucket = &table.buckets[*from];
        group->instance = group->bucket->instance;
        strlcpy(group->name, group->bucket->name, sizeof(group->name));
    }
    mutex_exit(&table_lock);
    if (group == NULL)
        return false;
    group->kstat = kstat_create("evcnt", group->instance, group->name, "evcnt", KSTAT_TYPE_NAMED, 0,
                                KSTAT_FLAG_VIRTUAL | KSTAT_FLAG_VAR_SIZE);
    if (group->kstat == NULL) {
        kmem_free(group);
        return false;
    }
    mutex_enter(&table_lock);
    group->bucket = evcnt_table_find(&table, group->name, group->instance);
    if (group->bucket != NULL) {
        group->bucket->group = group;
        group->kstat->ks_crtime = (hrtime_t)group->bucket->since;
    }
    group->next = groups;
    groups = group;
    mutex_exit(&table_lock);
    group->kstat->ks_private = group;
    group->kstat->ks_update = kstat_evcnt_update;
    group->kstat->ks_snapshot = kstat_evcnt_snapshot;
    group->kstat->ks_lock = &table_lock;
    kstat_install(group->kstat);
    return true;
}

/* Takes a group without counters off the list. */
static struct evcnt_group *kstat_evcnt_take_empty(void)
{
    struct evcnt_group **link = &groups, *found;

    mutex_enter(&table_lock);
    while (*link != NULL && (*link)->bucket != NULL)
        link = &(*link)->next;
    found = *link;
    if (found != NULL)
        *link = found->next;
    mutex_exit(&table_lock);
    return found;
}

void kstat_evcnt_refresh(void)
{
    struct evcnt_group *empty;
    uint32_t from = 0;
    int error;

    mutex_enter(&refresh_lock);
    mutex_enter(&table_lock);
    error = kstat_evcnt_renew();
    mutex_exit(&table_lock);
    while (error == 0 && (empty = kstat_evcnt_take_empty()) != NULL) {
        kstat_delete(empty->kstat);
        kmem_free(empty);
    }
    while (error == 0 && kstat_evcnt_create_one(&from))
        ;
    mutex_exit(&refresh_lock);
}

static void kstat_evcnt_prepare(void)
{
    mutex_init(&refresh_lock, "evcnt kstats");
    mutex_init(&table_lock, "evcnt table");
}
LATE(1, kstat_evcnt_prepare);
