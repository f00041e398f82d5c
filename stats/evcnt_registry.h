/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registry of attached event counters: the list in order of attaching, and a hash table that
 * finds the oldest counter of a group and name. Private to stats/: it checks nothing, evcnt.c does.
 *
 * The table grows by linear hashing: one bucket is split for each counter beyond one per bucket,
 * so there is never a pause to rehash. Buckets live in segments that are never moved or given back.
 * Without memory for another segment the table stays as it is, correct and slower.
 *
 * Counters of equal group and name form a ring in order of age, of which only the oldest stands in
 * a bucket: a million equal names cost no more than one.
 */
#ifndef STATS_EVCNT_REGISTRY_H
#define STATS_EVCNT_REGISTRY_H

#include <sys/evcnt.h>
#include <stdbool.h>

/* A group and a name, measured. */
struct evcnt_key {
    const char *group;
    const char *name;
    unsigned grouplen;
    unsigned namelen;
    uint32_t hash;
};

/*
 * Measures and hashes both strings in one pass, reading at most EVCNT_STRING_MAX bytes of each. A
 * length is EVCNT_STRING_MAX if there was no NUL by then. The hash is valid only if both lengths
 * are legal.
 */
void evcnt_key_measure(struct evcnt_key *key, const char *group, const char *name);

/*
 * What an attached counter at this address carries as its mark. It differs for every address, so
 * that a copy of an attached counter does not look attached, and for every life of the registry.
 */
extern uintptr_t evcnt_registry_secret;

static inline uintptr_t evcnt_mark_attached(const struct evcnt *ev)
{
    return (uintptr_t)ev ^ evcnt_registry_secret;
}

static inline uintptr_t evcnt_mark_detached(const struct evcnt *ev)
{
    return ~evcnt_mark_attached(ev);
}

/*
 * True for attached counters only, also when asked about memory that never was a counter. The
 * second test catches a copy that was put back where the counter had been.
 */
static inline bool evcnt_is_attached(const struct evcnt *ev)
{
    return ev->ev_mark == evcnt_mark_attached(ev) && *ev->ev_list.tqe_prev == ev;
}

/* Counts detachments: whoever lets go of the lock in the middle of the list looks at it. */
extern uint64_t evcnt_registry_generation;

/*
 * Memory for the table's growth, when it is hungry. prepare() is called before the lock is taken,
 * and its result is given to insert(), which uses it or hands it back for release() after the lock
 * is let go. The flag is a hint that may be read without the lock.
 */
extern bool evcnt_registry_hungry;
void *evcnt_registry_prepare(void);
void evcnt_registry_release(void *memory);

/* With the lock held. KEY has legal lengths; insert sets the counter's registry fields. */
void *evcnt_registry_insert(struct evcnt *ev, const struct evcnt_key *key, void *memory);
void evcnt_registry_remove(struct evcnt *ev);
struct evcnt *evcnt_registry_find(const struct evcnt_key *key);

/* Forgets every counter, without touching any. For tests that start a new life. */
void evcnt_registry_reset(void);

#endif
