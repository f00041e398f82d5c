/* SPDX-License-Identifier: BSD-2-Clause */
/* The list and the hash table of attached event counters: see evcnt_registry.h. */
#include "stats/evcnt_registry.h"

#include "stats/port.h"

#define SEGMENT_BITS    9
#define SEGMENT_BUCKETS (1u << SEGMENT_BITS) /* 4 KiB of pointers */
#define SEGMENTS_MAX    1024u                /* half a million buckets; then chains get longer */
#define SECRET_FIRST    ((uintptr_t)0x9e3779b97f4a7c15u)
#define SECRET_STEP     ((uintptr_t)0xd1b54a32d192ed02u) /* even: every secret stays odd */

struct evcntlist allevents = TAILQ_HEAD_INITIALIZER(allevents);

/* Odd, so that the mark of an attached counter, at an even address, is never that of fresh memory.
 */
struct evcnt_registry evcnt_registry = {.secret = SECRET_FIRST};

/* Buckets, under the lock. Each holds the oldest counters of its names, through ev_chain. */
static struct evcnt *first_segment[SEGMENT_BUCKETS];
static struct evcnt **segments[SEGMENTS_MAX]; /* but for the first */

static struct {
    uint32_t buckets; /* in use: SEGMENT_BUCKETS or more */
    uint32_t low;     /* mask of the last power of two of buckets that was complete */
    uint32_t names;   /* different group and name pairs */
} table = {SEGMENT_BUCKETS, SEGMENT_BUCKETS - 1, 0};

/* A group and a name, measured and hashed. */
struct key {
    const char *group;
    const char *name;
    unsigned grouplen;
    unsigned namelen;
    uint32_t hash;
};

/*
 * The factor, 127, is more than printable characters differ by, so that two of them cannot make up
 * for each other.
 */
static uint64_t hash_string(const char *string, unsigned length, uint64_t hash)
{
    for (unsigned i = 0; i < length; i++)
        hash = (hash << 7) - hash + (unsigned char)string[i];
    return hash;
}

static uint32_t hash_of(const char *group, unsigned grouplen, const char *name, unsigned namelen)
{
    uint64_t hash = hash_string(group, grouplen, 0);

    hash = hash_string(name, namelen, (hash << 7) - hash);
    /* The low bits are poor so far: this brings all of them into the upper half. */
    return (uint32_t)((hash * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

static struct evcnt **bucket_at(uint32_t index)
{
    if (index < SEGMENT_BUCKETS)
        return &first_segment[index];
    return &segments[index >> SEGMENT_BITS][index & (SEGMENT_BUCKETS - 1)];
}

static struct evcnt **bucket_of(uint32_t hash)
{
    uint32_t index = hash & ((table.low << 1) | 1);

    return bucket_at(index < table.buckets ? index : hash & table.low);
}

static bool same_bytes(const char *a, const char *b, unsigned length)
{
    if (a == b)
        return true;
    for (unsigned i = 0; i < length; i++) {
        if (a[i] != b[i])
            return false;
    }
    return true;
}

static struct evcnt *find_in(struct evcnt *ev, const struct key *key)
{
    for (; ev != NULL; ev = ev->ev_chain) {
        if (ev->ev_hash == key->hash && ev->ev_grouplen == key->grouplen &&
            ev->ev_namelen == key->namelen && same_bytes(ev->ev_group, key->group, key->grouplen) &&
            same_bytes(ev->ev_name, key->name, key->namelen))
            return ev;
    }
    return NULL;
}

/* Moves the names that belong there from the bucket below to the new one at the end. */
static void split_one_bucket(void)
{
    uint32_t fresh = table.buckets;
    struct evcnt **from = bucket_at(fresh & table.low);
    struct evcnt **to = bucket_at(fresh);

    table.buckets++;
    *to = NULL;
    while (*from != NULL) {
        struct evcnt *ev = *from;

        if ((ev->ev_hash & ((table.low << 1) | 1)) == fresh) {
            *from = ev->ev_chain;
            ev->ev_chain = *to;
            *to = ev;
        } else {
            from = &ev->ev_chain;
        }
    }
    if (table.buckets > ((table.low << 1) | 1))
        table.low = (table.low << 1) | 1;
}

static void set_hungry(bool hungry)
{
    __atomic_store_n(&evcnt_registry.hungry, hungry, __ATOMIC_RELAXED);
}

/* More names than buckets: split two, so that a table that had to wait for memory catches up. */
static void grow(void)
{
    for (int i = 0; i < 2 && table.names > table.buckets; i++) {
        uint32_t segment = table.buckets >> SEGMENT_BITS;

        if (segment == SEGMENTS_MAX)
            return;
        if (segments[segment] == NULL) {
            set_hungry(true);
            return;
        }
        split_one_bucket();
    }
}

void evcnt_registry_feed(void)
{
    struct evcnt **memory = stats_port_alloc(SEGMENT_BUCKETS * sizeof *memory);
    uint32_t segment;
    uintptr_t state;

    if (memory == NULL)
        return;
    state = stats_port_lock();
    segment = table.buckets >> SEGMENT_BITS;
    if (evcnt_registry.hungry && segments[segment] == NULL) {
        segments[segment] = memory;
        memory = NULL;
        set_hungry(false);
    }
    stats_port_unlock(state);
    if (memory != NULL)
        stats_port_free(memory, SEGMENT_BUCKETS * sizeof *memory);
}

/* Into the table. Older counters are there already. */
static void index_one(struct evcnt *ev)
{
    struct key key = {ev->ev_group, ev->ev_name, ev->ev_grouplen, ev->ev_namelen, 0};
    struct evcnt **bucket;
    struct evcnt *oldest;

    key.hash = hash_of(key.group, key.grouplen, key.name, key.namelen);
    bucket = bucket_of(key.hash);
    oldest = find_in(*bucket, &key);
    ev->ev_hash = key.hash;
    if (oldest != NULL) { /* the youngest of its ring */
        ev->ev_chain = NULL;
        ev->ev_same_next = oldest;
        ev->ev_same_prev = oldest->ev_same_prev;
        oldest->ev_same_prev->ev_same_next = ev;
        oldest->ev_same_prev = ev;
        return;
    }
    ev->ev_same_next = ev;
    ev->ev_same_prev = ev;
    ev->ev_chain = *bucket;
    *bucket = ev;
    table.names++;
    grow();
}

void evcnt_registry_index(uint32_t limit)
{
    for (uint32_t i = 0; i < limit && evcnt_registry.pending > 0; i++) {
        struct evcnt *ev = evcnt_registry.first_pending;

        evcnt_registry.first_pending = TAILQ_NEXT(ev, ev_list);
        evcnt_registry.pending--;
        index_one(ev);
    }
}

static void remove_from_table(struct evcnt *ev)
{
    struct evcnt *next = ev->ev_same_next;
    struct evcnt **link = bucket_of(ev->ev_hash);

    while (*link != NULL && *link != ev)
        link = &(*link)->ev_chain;
    if (*link == ev) { /* the oldest: the next in age takes its place */
        if (next != ev) {
            next->ev_chain = ev->ev_chain;
            *link = next;
        } else {
            *link = ev->ev_chain;
            table.names--;
        }
    }
    next->ev_same_prev = ev->ev_same_prev;
    ev->ev_same_prev->ev_same_next = next;
}

void evcnt_registry_remove(struct evcnt *ev)
{
    if (ev->ev_same_next != NULL) {
        remove_from_table(ev);
    } else {
        if (evcnt_registry.first_pending == ev)
            evcnt_registry.first_pending = TAILQ_NEXT(ev, ev_list);
        evcnt_registry.pending--;
    }
    TAILQ_REMOVE(&allevents, ev, ev_list);
    __atomic_store_n(&ev->ev_mark, evcnt_mark_detached(ev), __ATOMIC_RELAXED);
    evcnt_registry.generation++;
}

struct evcnt *evcnt_registry_find(const char *group, unsigned grouplen, const char *name,
                                  unsigned namelen)
{
    struct key key = {group, name, grouplen, namelen, hash_of(group, grouplen, name, namelen)};

    evcnt_registry_index(UINT32_MAX);
    return find_in(*bucket_of(key.hash), &key);
}

void evcnt_registry_reset(void)
{
    for (uint32_t i = 1; i < SEGMENTS_MAX && segments[i] != NULL; i++) {
        stats_port_free(segments[i], SEGMENT_BUCKETS * sizeof *segments[i]);
        segments[i] = NULL;
    }
    for (uint32_t i = 0; i < SEGMENT_BUCKETS; i++)
        first_segment[i] = NULL;
    table.buckets = SEGMENT_BUCKETS;
    table.low = SEGMENT_BUCKETS - 1;
    table.names = 0;
    evcnt_registry.first_pending = NULL;
    evcnt_registry.pending = 0;
    evcnt_registry.secret += SECRET_STEP;
    evcnt_registry.generation++;
    set_hungry(false);
    TAILQ_INIT(&allevents);
}
