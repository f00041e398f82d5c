/* SPDX-License-Identifier: BSD-2-Clause */
/* The chain of kstats and its hash tables: see kstat_registry.h. */
#include "stats/kstat/kstat_registry.h"

#include "lib/string.h"
#include "stats/port.h"
#include "lib/section.h"

#define FIRST_BUCKETS 64u

static SHARED_BSS struct hash_link *first_by_kid[FIRST_BUCKETS];
static SHARED_BSS struct hash_link *first_by_name[FIRST_BUCKETS];

static struct {
    struct hash_table by_kid;
    struct hash_table by_name;
    struct ekstat *first;
    struct ekstat *last;
    kid_t chain_id;   /* read without the mutex */
    uint32_t waiting; /* threads that wait for a kstat that is held */
} registry = {.by_kid = HASH_TABLE_INITIALIZER(first_by_kid),
              .by_name = HASH_TABLE_INITIALIZER(first_by_name)};

static uint32_t kstat_registry_hash_name(const char *module, int instance, const char *name)
{
    uint64_t hash = hash_text((uint32_t)instance, module);

    return hash_end(hash_text(hash, name));
}

static void kstat_registry_free_buckets(struct hash_link **buckets, size_t count)
{
    if (buckets != NULL && buckets != first_by_kid && buckets != first_by_name)
        stats_port_free(buckets, count * sizeof *buckets);
}

/* Without memory, the chains become longer. */
static void kstat_registry_grow(struct hash_table *table)
{
    size_t room = hash_table_room(table);
    struct hash_link **memory = stats_port_alloc(room);

    if (memory != NULL)
        kstat_registry_free_buckets(hash_table_grow(table, memory), room / sizeof *memory / 4);
}

static void kstat_registry_empty(struct hash_table *table, struct hash_link **first)
{
    kstat_registry_free_buckets(table->buckets, (size_t)table->mask + 1);
    kstat_registry_free_buckets(table->old, ((size_t)table->mask + 1) / 2);
    hash_table_init(table, first, FIRST_BUCKETS);
}

kstat_t *kstat_registry_first(void)
{
    return registry.first != NULL ? &registry.first->ks : NULL;
}

struct ekstat *kstat_registry_find(kid_t kid)
{
    struct hash_link *link = hash_table_first(&registry.by_kid, (uint32_t)kid);

    return HASH_ENTRY_OR_NULL(link, struct ekstat, kid_link);
}

struct ekstat *kstat_registry_find_name(const char *module, int instance, const char *name)
{
    uint32_t hash = kstat_registry_hash_name(module, instance, name);

    for (struct hash_link *link = hash_table_first(&registry.by_name, hash); link != NULL;
         link = hash_table_next(link)) {
        struct ekstat *e = HASH_ENTRY(link, struct ekstat, name_link);

        if (e->ks.ks_instance == instance && strcmp(e->ks.ks_module, module) == 0 &&
            strcmp(e->ks.ks_name, name) == 0)
            return e;
    }
    return NULL;
}

kid_t kstat_registry_chain_id(void)
{
    return __atomic_load_n(&registry.chain_id, __ATOMIC_ACQUIRE);
}

/* After the largest number comes 0. */
static void kstat_registry_change_chain(void)
{
    kid_t next = registry.chain_id == INT32_MAX ? 0 : registry.chain_id + 1;

    __atomic_store_n(&registry.chain_id, next, __ATOMIC_RELEASE);
}

static void kstat_registry_link_after(struct ekstat *before, struct ekstat *e)
{
    struct ekstat *after = before != NULL ? (struct ekstat *)before->ks.ks_next : registry.first;

    e->previous = before;
    e->ks.ks_next = after != NULL ? &after->ks : NULL;
    if (before != NULL)
        before->ks.ks_next = &e->ks;
    else
        registry.first = e;
    if (after != NULL)
        after->previous = e;
    else
        registry.last = e;
}

void kstat_registry_insert(struct ekstat *e)
{
    struct ekstat *before = registry.last;

    while (kstat_registry_find(registry.chain_id) != NULL)
        kstat_registry_change_chain();
    e->ks.ks_kid = registry.chain_id;
    kstat_registry_change_chain();
    while (before != NULL && before->ks.ks_kid > e->ks.ks_kid)
        before = before->previous;
    hash_table_insert(&registry.by_kid, &e->kid_link, (uint32_t)e->ks.ks_kid);
    hash_table_insert(&registry.by_name, &e->name_link,
                      kstat_registry_hash_name(e->ks.ks_module, e->ks.ks_instance, e->ks.ks_name));
    kstat_registry_link_after(before, e);
    if (hash_table_is_full(&registry.by_kid))
        kstat_registry_grow(&registry.by_kid);
    if (hash_table_is_full(&registry.by_name))
        kstat_registry_grow(&registry.by_name);
}

void kstat_registry_remove(struct ekstat *e)
{
    struct ekstat *after = (struct ekstat *)e->ks.ks_next;

    hash_table_remove(&registry.by_kid, &e->kid_link);
    hash_table_remove(&registry.by_name, &e->name_link);
    if (e->previous != NULL)
        e->previous->ks.ks_next = e->ks.ks_next;
    else
        registry.first = after;
    if (after != NULL)
        after->previous = e->previous;
    else
        registry.last = e->previous;
    kstat_registry_change_chain();
}

struct ekstat *kstat_registry_hold_locked(kid_t kid)
{
    struct ekstat *e;

    while ((e = kstat_registry_find(kid)) != NULL && e->held) {
        registry.waiting++;
        stats_port_chain_wait();
        registry.waiting--;
    }
    if (e != NULL)
        e->held = true;
    return e;
}

void kstat_registry_release_locked(struct ekstat *e)
{
    e->held = false;
    if (registry.waiting > 0)
        stats_port_chain_wake();
}

struct ekstat *kstat_registry_hold(kid_t kid)
{
    void *mutex = stats_port_chain_mutex();
    struct ekstat *e;

    stats_port_mutex_enter(mutex);
    e = kstat_registry_hold_locked(kid);
    stats_port_mutex_exit(mutex);
    return e;
}

void kstat_registry_release(struct ekstat *e)
{
    void *mutex = stats_port_chain_mutex();

    stats_port_mutex_enter(mutex);
    kstat_registry_release_locked(e);
    stats_port_mutex_exit(mutex);
}

void kstat_registry_free(struct ekstat *e)
{
    if (e->data != NULL)
        stats_port_free(e->data, e->data_size);
    stats_port_free(e, sizeof *e);
}

void kstat_registry_reset(void)
{
    struct ekstat *e;

    while ((e = registry.first) != NULL) {
        registry.first = (struct ekstat *)e->ks.ks_next;
        kstat_registry_free(e);
    }
    kstat_registry_empty(&registry.by_kid, first_by_kid);
    kstat_registry_empty(&registry.by_name, first_by_name);
    registry.last = NULL;
    registry.chain_id = 0;
    registry.waiting = 0;
    kstat_forget();
}
