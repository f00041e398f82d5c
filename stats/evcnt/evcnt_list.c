/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of counters that others keep; see evcnt_list.h. */
#include "stats/evcnt/evcnt_list.h"
#include "stats/evcnt/evcnt_registry.h"
#include "stats/port.h"

#define PER_CHUNK 16 /* with the lock held */

/* A counter at the end that is the same, with nothing detached, has nothing behind it: attaching
 * only appends. */
void evcnt_list_mark(struct evcnt_list_mark *mark)
{
    uintptr_t state = stats_port_lock();

    mark->detached = evcnt_registry.generation;
    mark->last = TAILQ_LAST(&allevents, evcntlist);
    stats_port_unlock(state);
}

bool evcnt_list_is_same(const struct evcnt_list_mark *mark)
{
    struct evcnt_list_mark now;

    evcnt_list_mark(&now);
    return now.detached == mark->detached && now.last == mark->last;
}

bool evcnt_list_visit(const struct evcnt_list_mark *mark, const struct evcnt *const *counters,
                      size_t count,
                      void (*each)(const struct evcnt *ev, size_t index, void *argument),
                      void *argument)
{
    bool valid = true;

    while (valid && count > 0) {
        uintptr_t state = stats_port_lock();

        valid = mark->detached == evcnt_registry.generation;
        for (unsigned i = 0; valid && i < PER_CHUNK && count > 0; i++) {
            count--;
            each(counters[count], count, argument);
        }
        stats_port_unlock(state);
    }
    return valid;
}
