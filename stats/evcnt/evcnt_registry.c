/* SPDX-License-Identifier: BSD-2-Clause */
/* The list and the hash table of attached event counters: see evcnt_registry.h. */
#include "stats/evcnt/evcnt_registry.h"

#include "lib/section.h"
#include "stats/port.h"

#define FIRST_BUCKETS 512u
#define MOST_BUCKETS  (1u << 19) /* then chains get longer */

struct evcntlist allevents = TAILQ_HEAD_INITIALIZER(allevents);

/* Odd, so that the mark of an attached counter, at an even address, is never that of fresh memory.
 */
struct evcnt_registry evcnt_registry = {.life = 1};

/* The oldest counters of each group and name, under the lock. */
static SHARED_BSS struct hash_link *first_buckets[FIRST_BUCKETS];
static struct hash_table table = HASH_TABLE_INITIALIZER(first_buckets);

static uint32_t evcnt_registry_hash_of(const struct evcnt_label *label)
{
    uint64_t hash = hash_string(0, label->group, label->grouplen);

    return hash_end(hash_string(hash, label->name, label->namelen));
}

static struct evcnt_label evcnt_registry_label_of(const struct evcnt *ev)
{
    return (struct evcnt_label){ev->ev_group, ev->ev_name, ev->ev_grouplen, ev->ev_namelen};
}

static bool evcnt_registry_same_bytes(const char *a, const char *b, unsigned length)
{
    if (a == b)
        return true;
    for (unsigned i = 0; i < length; i++) {
        if (a[i] != b[i])
            return false;
    }
    return true;
}

static struct evcnt *evcnt_registry_find_hashed(const struct evcnt_label *label, uint32_t hash)
{
    for (struct hash_link *link = hash_table_first(&table, hash); link != NULL;
         link = hash_table_next(link)) {
        struct evcnt *ev = HASH_ENTRY(link, struct evcnt, ev_link);

        if (ev->ev_grouplen == label->grouplen && ev->ev_namelen == label->namelen &&
            evcnt_registry_same_bytes(ev->ev_group, label->group, label->grouplen) &&
            evcnt_registry_same_bytes(ev->ev_name, label->name, label->namelen))
            return ev;
    }
    return NULL;
}

static void evcnt_registry_set_full(void)
{
    bool full = hash_table_is_full(&table) && table.mask < MOST_BUCKETS - 1;

    __atomic_store_n(&evcnt_registry.full, full, __ATOMIC_RELAXED);
}

static void evcnt_registry_free_buckets(struct hash_link **buckets, size_t count)
{
    if (buckets != NULL && buckets != first_buckets)
        stats_port_free(buckets, count * sizeof *buckets);
}

void evcnt_registry_grow(void)
{
    uintptr_t state = stats_port_lock();
    size_t room = hash_table_room(&table);
    struct hash_link **memory, **spare = NULL;

    stats_port_unlock(state);
    memory = stats_port_alloc(room);
    if (memory == NULL)
        return;
    state = stats_port_lock();
    if (evcnt_registry.full && hash_table_room(&table) == room) {
        spare = hash_table_grow(&table, memory);
        memory = NULL;
        evcnt_registry_set_full();
    }
    stats_port_unlock(state);
    evcnt_registry_free_buckets(spare, room / sizeof *spare / 4);
    evcnt_registry_free_buckets(memory, room / sizeof *memory);
}

/* Into the table. Older counters are there already. */
static void evcnt_registry_index_one(struct evcnt *ev)
{
    const struct evcnt_label label = evcnt_registry_label_of(ev);
    uint32_t hash = evcnt_registry_hash_of(&label);
    struct evcnt *oldest = evcnt_registry_find_hashed(&label, hash);

    if (oldest != NULL) { /* the youngest of its ring */
        ev->ev_link = (struct hash_link){NULL, hash};
        ev->ev_same_next = oldest;
        ev->ev_same_prev = oldest->ev_same_prev;
        oldest->ev_same_prev->ev_same_next = ev;
        oldest->ev_same_prev = ev;
        return;
    }
    ev->ev_same_next = ev;
    ev->ev_same_prev = ev;
    hash_table_insert(&table, &ev->ev_link, hash);
    evcnt_registry_set_full();
}

void evcnt_registry_index(uint32_t limit)
{
    for (uint32_t i = 0; i < limit && evcnt_registry.pending > 0; i++) {
        struct evcnt *ev = evcnt_registry.first_pending;

        evcnt_registry.first_pending = TAILQ_NEXT(ev, ev_list);
        evcnt_registry.pending--;
        evcnt_registry_index_one(ev);
    }
}

/* If it is the oldest of its ring, the next in age takes its place. */
static void evcnt_registry_remove_from_table(struct evcnt *ev)
{
    const struct evcnt_label label = evcnt_registry_label_of(ev);
    uint32_t hash = ev->ev_link.hash;
    struct evcnt *next = ev->ev_same_next;

    if (evcnt_registry_find_hashed(&label, hash) == ev) {
        hash_table_remove(&table, &ev->ev_link);
        if (next != ev)
            hash_table_insert(&table, &next->ev_link, hash);
    }
    next->ev_same_prev = ev->ev_same_prev;
    ev->ev_same_prev->ev_same_next = next;
}

void evcnt_registry_remove(struct evcnt *ev)
{
    if (ev->ev_same_next != NULL) {
        evcnt_registry_remove_from_table(ev);
    } else {
        if (evcnt_registry.first_pending == ev)
            evcnt_registry.first_pending = TAILQ_NEXT(ev, ev_list);
        evcnt_registry.pending--;
    }
    TAILQ_REMOVE(&allevents, ev, ev_list);
    __atomic_store_n(&ev->ev_mark, evcnt_mark_detached(ev), __ATOMIC_RELAXED);
    evcnt_registry.generation++;
}

struct evcnt *evcnt_registry_find(const struct evcnt_label *label)
{
    evcnt_registry_index(UINT32_MAX);
    return evcnt_registry_find_hashed(label, evcnt_registry_hash_of(label));
}

void evcnt_registry_reset(void)
{
    evcnt_registry_free_buckets(table.buckets, (size_t)table.mask + 1);
    evcnt_registry_free_buckets(table.old, ((size_t)table.mask + 1) / 2);
    hash_table_init(&table, first_buckets, FIRST_BUCKETS);
    evcnt_registry.first_pending = NULL;
    evcnt_registry.pending = 0;
    evcnt_registry.life += 2;
    evcnt_registry.generation++;
    evcnt_registry_set_full();
    TAILQ_INIT(&allevents);
}
