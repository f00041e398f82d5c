/* SPDX-License-Identifier: BSD-2-Clause */
/* The chain of kstats and its hash tables: see kstat_registry.h. */
#include "stats/kstat_registry.h"

#include "lib/string.h"
#include "stats/port.h"

#define FIRST_BUCKETS 64u

static struct ekstat *first_by_kid[FIRST_BUCKETS];
static struct ekstat *first_by_name[FIRST_BUCKETS];

static struct {
    struct ekstat **by_kid;
    struct ekstat **by_name;
    uint32_t buckets; /* of each; a power of two */
    uint32_t kstats;
    struct ekstat *first;
    struct ekstat *last;
    kid_t chain_id;   /* read without the mutex */
    uint32_t waiting; /* threads that wait for a kstat that is held */
} registry = {first_by_kid, first_by_name, FIRST_BUCKETS, 0, NULL, NULL, 0, 0};

static uint32_t hash_name(const char *module, int instance, const char *name)
{
    uint64_t hash = (uint32_t)instance;

    for (; *module != '\0'; module++)
        hash = (hash << 7) - hash + (unsigned char)*module;
    hash = (hash << 7) - hash;
    for (; *name != '\0'; name++)
        hash = (hash << 7) - hash + (unsigned char)*name;
    return (uint32_t)((hash * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

static struct ekstat **kid_bucket(kid_t kid)
{
    return &registry.by_kid[(uint32_t)kid & (registry.buckets - 1)];
}

static struct ekstat **name_bucket(uint32_t hash)
{
    return &registry.by_name[hash & (registry.buckets - 1)];
}

static void hash_insert(struct ekstat *e)
{
    struct ekstat **kid = kid_bucket(e->ks.ks_kid);
    struct ekstat **name = name_bucket(e->name_hash);

    e->same_kid = *kid;
    *kid = e;
    e->same_name = *name;
    *name = e;
}

static void free_tables(struct ekstat **by_kid, struct ekstat **by_name, uint32_t buckets)
{
    if (by_kid != NULL && by_kid != first_by_kid)
        stats_port_free(by_kid, buckets * sizeof *by_kid);
    if (by_name != NULL && by_name != first_by_name)
        stats_port_free(by_name, buckets * sizeof *by_name);
}

/* Twice the buckets; without memory, the chains become longer. */
static void grow(void)
{
    uint32_t buckets = registry.buckets * 2;
    struct ekstat **by_kid = stats_port_alloc(buckets * sizeof *by_kid);
    struct ekstat **by_name = stats_port_alloc(buckets * sizeof *by_name);

    if (by_kid == NULL || by_name == NULL) {
        free_tables(by_kid, by_name, buckets);
        return;
    }
    free_tables(registry.by_kid, registry.by_name, registry.buckets);
    memset(by_kid, 0, buckets * sizeof *by_kid);
    memset(by_name, 0, buckets * sizeof *by_name);
    registry.by_kid = by_kid;
    registry.by_name = by_name;
    registry.buckets = buckets;
    for (struct ekstat *e = registry.first; e != NULL; e = (struct ekstat *)e->ks.ks_next)
        hash_insert(e);
}

kstat_t *kstat_registry_first(void)
{
    return registry.first != NULL ? &registry.first->ks : NULL;
}

struct ekstat *kstat_registry_find(kid_t kid)
{
    struct ekstat *e = *kid_bucket(kid);

    while (e != NULL && e->ks.ks_kid != kid)
        e = e->same_kid;
    return e;
}

struct ekstat *kstat_registry_find_name(const char *module, int instance, const char *name)
{
    uint32_t hash = hash_name(module, instance, name);
    struct ekstat *e = *name_bucket(hash);

    while (e != NULL && (e->name_hash != hash || e->ks.ks_instance != instance ||
                         strcmp(e->ks.ks_module, module) != 0 || strcmp(e->ks.ks_name, name) != 0))
        e = e->same_name;
    return e;
}

kid_t kstat_registry_chain_id(void)
{
    return __atomic_load_n(&registry.chain_id, __ATOMIC_ACQUIRE);
}

/* After the largest number comes 0. */
static void change_chain(void)
{
    kid_t next = registry.chain_id == INT32_MAX ? 0 : registry.chain_id + 1;

    __atomic_store_n(&registry.chain_id, next, __ATOMIC_RELEASE);
}

static void link_after(struct ekstat *before, struct ekstat *e)
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
        change_chain();
    e->ks.ks_kid = registry.chain_id;
    e->name_hash = hash_name(e->ks.ks_module, e->ks.ks_instance, e->ks.ks_name);
    change_chain();
    while (before != NULL && before->ks.ks_kid > e->ks.ks_kid)
        before = before->previous;
    hash_insert(e);
    link_after(before, e);
    if (++registry.kstats > registry.buckets)
        grow();
}

void kstat_registry_remove(struct ekstat *e)
{
    struct ekstat *after = (struct ekstat *)e->ks.ks_next;
    struct ekstat **link = kid_bucket(e->ks.ks_kid);

    while (*link != e)
        link = &(*link)->same_kid;
    *link = e->same_kid;
    link = name_bucket(e->name_hash);
    while (*link != e)
        link = &(*link)->same_name;
    *link = e->same_name;
    if (e->previous != NULL)
        e->previous->ks.ks_next = e->ks.ks_next;
    else
        registry.first = after;
    if (after != NULL)
        after->previous = e->previous;
    else
        registry.last = e->previous;
    registry.kstats--;
    change_chain();
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
    free_tables(registry.by_kid, registry.by_name, registry.buckets);
    memset(first_by_kid, 0, sizeof first_by_kid);
    memset(first_by_name, 0, sizeof first_by_name);
    registry.by_kid = first_by_kid;
    registry.by_name = first_by_name;
    registry.buckets = FIRST_BUCKETS;
    registry.kstats = 0;
    registry.last = NULL;
    registry.chain_id = 0;
    registry.waiting = 0;
    kstat_forget();
}
