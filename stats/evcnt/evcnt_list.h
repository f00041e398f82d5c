/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For who keeps a list of counters of its own: whether it is still true, and reading the counters
 * in it without a look at all the others.
 */
#ifndef STATS_EVCNT_LIST_H
#define STATS_EVCNT_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/evcnt.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The state of the list of all counters at one moment. */
struct evcnt_list_mark {
    uint64_t detached;        /* counts detachments */
    const struct evcnt *last; /* the youngest */
};

void evcnt_list_mark(struct evcnt_list_mark *mark);
/* Whether no counter was attached or detached since. */
bool evcnt_list_is_same(const struct evcnt_list_mark *mark);

/*
 * Calls EACH(ev, index, argument) for COUNT counters that were attached at MARK, from the last to
 * the first (so a child is read before its parent), with the lock held, which is let go now and
 * then. False if one of all counters was detached since MARK: then some were not visited, and the
 * others are no longer known to exist.
 */
bool evcnt_list_visit(const struct evcnt_list_mark *mark, const struct evcnt *const *counters,
                      size_t count,
                      void (*each)(const struct evcnt *ev, size_t index, void *argument),
                      void *argument);

#ifdef __cplusplus
}
#endif

#endif
