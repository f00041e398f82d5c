/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registry of attached event counters: the list in order of attaching, and a hash table that
 * finds the oldest counter of a group and name. Private to stats/: it checks nothing, evcnt.c does.
 *
 * Attaching only appends to the list. The youngest counters, at most EVCNT_PENDING_MAX of them, are
 * not in the table yet: a lookup puts them there first, and so does attaching when there are more.
 * Start-up, which attaches much and looks up nothing, does not pay for hashing.
 *
 * Without memory to grow the table stays as it is, correct and slower.
 *
 * Counters of equal group and name form a ring in order of age, of which only the oldest stands in
 * a bucket: a million equal names cost no more than one.
 */
#ifndef STATS_EVCNT_REGISTRY_H
#define STATS_EVCNT_REGISTRY_H

#include <sys/evcnt.h>
#include <stdbool.h>

#include "stats/evcnt/evcnt_label.h"

#define EVCNT_PENDING_MAX     1024u /* what a PC of 16 CPUs attaches at start-up, and some */
#define EVCNT_INDEXED_AT_ONCE 128u  /* before a lookup lets go of the lock */

/* All under the lock of stats/port.h, except that `full` is a hint anyone may read. */
struct evcnt_registry {
    uintptr_t life;              /* odd, another after each evcnt_registry_reset: for marks */
    struct evcnt *first_pending; /* from here to the end of the list: not in the table */
    uint32_t pending;            /* how many those are */
    bool full;                   /* the table wants to grow */
    uint64_t generation;         /* counts detachments, for who lets go of the lock in mid-list */
};

extern struct evcnt_registry evcnt_registry;

/*
 * What an attached counter at this address carries as its mark. It differs for every address, so
 * that a copy of an attached counter does not look attached, and for every life of the registry.
 */
static inline uintptr_t evcnt_mark_attached(const struct evcnt *ev)
{
    return (uintptr_t)ev ^ evcnt_registry.life;
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
    return __atomic_load_n(&ev->ev_mark, __ATOMIC_RELAXED) == evcnt_mark_attached(ev) &&
           *ev->ev_list.tqe_prev == ev;
}

/* Puts the oldest pending counters, but no more than LIMIT, into the table. With the lock held. */
void evcnt_registry_index(uint32_t limit);

/* Appends a counter whose lengths are set. With the lock held. */
static inline void evcnt_registry_append(struct evcnt *ev)
{
    ev->ev_same_next = NULL; /* pending */
    ev->ev_children = 0;
    __atomic_store_n(&ev->ev_mark, evcnt_mark_attached(ev), __ATOMIC_RELEASE);
    TAILQ_INSERT_TAIL(&allevents, ev, ev_list);
    if (evcnt_registry.pending++ == 0)
        evcnt_registry.first_pending = ev;
    if (evcnt_registry.pending > EVCNT_PENDING_MAX)
        evcnt_registry_index(2);
}

/* With the lock held. */
void evcnt_registry_remove(struct evcnt *ev);

/* With the lock held. Legal lengths. */
struct evcnt *evcnt_registry_find(const struct evcnt_label *label);

/* Gives a full table memory, if there is any. Without the lock; thread context. */
void evcnt_registry_grow(void);

/* Forgets every counter, without touching any. For tests that start a new life. */
void evcnt_registry_reset(void);

#endif
