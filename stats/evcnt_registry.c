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

/* Odd, so that the mark of an attached counter (at an even address) is never that of zeroed memory.
 */
uintptr_t evcnt_registry_secret = SECRET_FIRST;
uint64_t evcnt_registry_generation;
bool evcnt_registry_hungry;

static struct evcnt *first_segment[SEGMENT_BUCKETS];

/* All under the lock. A bucket holds the oldest counters of its names, through ev_chain. */
static struct {
    struct evcnt **segment[SEGMENTS_MAX];
    uint32_t buckets; /* in use: SEGMENT_BUCKETS or more */
    uint32_t low;     /* mask of the last power of two of buckets that was complete */
    uint32_t names;   /* different group and name pairs */
} table = {{first_segment}, SEGMENT_BUCKETS, SEGMENT_BUCKETS - 1, 0};

/*
 * Four characters a turn, each with its own displacement: on machines that fetch one instruction
 * after another this is five instructions a character. EVCNT_STRING_MAX is a multiple of four.
 */
static inline uint64_t measure(const char *string, uint64_t hash, unsigned *length)
{
    const unsigned char *s = (const unsigned char *)string;
    const unsigned char *end = s + EVCNT_STRING_MAX;

    for (; s != end; s += 4) {
        if (s[0] == 0)
            break;
        hash = (hash << 5) + hash + s[0];
        if (s[1] == 0) {
            s += 1;
            break;
        }
        hash = (hash << 5) + hash + s[1];
        if (s[2] == 0) {
            s += 2;
            break;
        }
        hash = (hash << 5) + hash + s[2];
        if (s[3] == 0) {
            s += 3;
            break;
        }
        hash = (hash << 5) + hash + s[3];
    }
    *length = (unsigned)(s - (const unsigned char *)string);
    return hash;
}

void evcnt_key_measure(struct evcnt_key *key, const char *group, const char *name)
{
    uint64_t hash;

    key->group = group;
    key->name = name;
    hash = measure(group, 0, &key->grouplen);
    hash = measure(name, (hash << 5) + hash, &key->namelen);
    /* Multiplication by 33 leaves the low bits poor; this one brings all into the upper half. */
    key->hash = (uint32_t)((hash * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

static inline struct evcnt **bucket_at(uint32_t index)
{
    return &table.segment[index >> SEGMENT_BITS][index & (SEGMENT_BUCKETS - 1)];
}

static inline struct evcnt **bucket_of(uint32_t hash)
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

static inline struct evcnt *find_in(struct evcnt *ev, const struct evcnt_key *key)
{
    for (; ev != NULL; ev = ev->ev_chain) {
        if (ev->ev_hash == key->hash && ev->ev_grouplen == key->grouplen &&
            ev->ev_namelen == key->namelen && same_bytes(ev->ev_group, key->group, key->grouplen) &&
            same_bytes(ev->ev_name, key->name, key->namelen))
            return ev;
    }
    return NULL;
}

struct evcnt *evcnt_registry_find(const struct evcnt_key *key)
{
    return find_in(*bucket_of(key->hash), key);
}

void *evcnt_registry_prepare(void)
{
    return stats_port_alloc(SEGMENT_BUCKETS * sizeof(struct evcnt *));
}

void evcnt_registry_release(void *memory)
{
    stats_port_free(memory, SEGMENT_BUCKETS * sizeof(struct evcnt *));
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

/*
 * One name more than buckets: split. Two at a time, so that a table that had to wait for memory
 * catches up. Returns the memory if it was not needed.
 */
static void *grow(void *memory)
{
    for (int i = 0; i < 2 && table.names > table.buckets; i++) {
        uint32_t segment = table.buckets >> SEGMENT_BITS;

        if (segment == SEGMENTS_MAX)
            break;
        if (table.segment[segment] == NULL) {
            if (memory == NULL) {
                __atomic_store_n(&evcnt_registry_hungry, true, __ATOMIC_RELAXED);
                return NULL;
            }
            table.segment[segment] = memory;
            memory = NULL;
            __atomic_store_n(&evcnt_registry_hungry, false, __ATOMIC_RELAXED);
        }
        split_one_bucket();
    }
    return memory;
}

void *evcnt_registry_insert(struct evcnt *ev, const struct evcnt_key *key, void *memory)
{
    struct evcnt **bucket = bucket_of(key->hash);
    struct evcnt *oldest = find_in(*bucket, key);

    ev->ev_grouplen = (unsigned char)key->grouplen;
    ev->ev_namelen = (unsigned char)key->namelen;
    ev->ev_hash = key->hash;
    ev->ev_children = 0;
    TAILQ_INSERT_TAIL(&allevents, ev, ev_list);
    ev->ev_mark = evcnt_mark_attached(ev);
    if (oldest != NULL) { /* the youngest of its ring */
        ev->ev_chain = NULL;
        ev->ev_same_next = oldest;
        ev->ev_same_prev = oldest->ev_same_prev;
        oldest->ev_same_prev->ev_same_next = ev;
        oldest->ev_same_prev = ev;
        return memory;
    }
    ev->ev_same_next = ev;
    ev->ev_same_prev = ev;
    ev->ev_chain = *bucket;
    *bucket = ev;
    table.names++;
    return table.names > table.buckets ? grow(memory) : memory;
}

void evcnt_registry_remove(struct evcnt *ev)
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
    TAILQ_REMOVE(&allevents, ev, ev_list);
    ev->ev_mark = evcnt_mark_detached(ev);
    evcnt_registry_generation++;
}

void evcnt_registry_reset(void)
{
    for (uint32_t i = 1; i < SEGMENTS_MAX && table.segment[i] != NULL; i++) {
        evcnt_registry_release(table.segment[i]);
        table.segment[i] = NULL;
    }
    for (uint32_t i = 0; i < SEGMENT_BUCKETS; i++)
        first_segment[i] = NULL;
    table.buckets = SEGMENT_BUCKETS;
    table.low = SEGMENT_BUCKETS - 1;
    table.names = 0;
    evcnt_registry_hungry = false;
    evcnt_registry_secret += SECRET_STEP;
    evcnt_registry_generation++;
    TAILQ_INIT(&allevents);
}
