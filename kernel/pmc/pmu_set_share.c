/* SPDX-License-Identifier: BSD-2-Clause */
/* One thread's part of a set of events: see pmu_set.h. */
#include "kernel/time/clock.h"
#include "kernel/pmc/pmu_set_private.h"
#include "lib/string.h"

/* NULL: no set of events counts it, or something else than one does. */
static struct member *pmu_set_share_member_of_thread(const struct thread *thread)
{
    const struct pmc_member *m = thread->lwp.l_pmc_set;

    return m != NULL && m->owner == &pmu_set_owner ? member_of(&thread->lwp) : NULL;
}

void pmu_set_share_fold(const struct thread *self)
{
    struct member *m = pmu_set_share_member_of_thread(self);

    if (m != NULL)
        pmu_set_fold(m);
}

/* What the event has counted in this slice since the last fold. */
static uint64_t pmu_set_share_since_fold(const struct member *m, unsigned e, const uint64_t *counts)
{
    int counter = counter_of(m, m->slice, e);

    return counter >= 0 && !m->set->over ? counts[counter] - m->folded[counter] : 0;
}

/* Whether any slice counts it; its counters are added to *COUNTERS. */
static bool pmu_set_share_is_counted(const struct pmu_set *set, unsigned e, uint32_t *counters)
{
    bool counted = false;

    for (unsigned slice = 0; slice < set->plan.slices; slice++)
        if (assignment_of(set, slice, e).counter >= 0) {
            *counters |= 1u << assignment_of(set, slice, e).counter;
            counted = true;
        }
    return counted;
}

void pmu_set_share_get(const struct thread *thread, const uint64_t *counts,
                       struct pmu_set_share *out)
{
    const struct member *m = pmu_set_share_member_of_thread(thread);
    const struct pmu_set *set = m ? m->set : NULL;
    uint64_t slice;

    out->count = set ? set->count : 0;
    if (!set)
        return;
    /* none of one that runs: it has just folded */
    slice = !set->over && (int64_t)thread->cycles >= 0 ? thread->cycles - m->time : 0;
    out->first = set->first == m;
    out->enabled_ns = clock_cycles_to_ns(m->own_time + slice);
    for (unsigned e = 0; e < set->count; e++) {
        bool now = set->plan.slices > 0 && counter_of(m, m->slice, e) >= 0;

        memcpy(out->event[e].text, set->requests[e].text, sizeof out->event[e].text);
        out->event[e].clock = set->requests[e].kind == PMU_EVENT_CLOCK;
        out->event[e].supported = true;
        out->event[e].ran_ns = out->enabled_ns;
        if (set->requests[e].kind == PMU_EVENT_CLOCK) {
            out->event[e].count = out->enabled_ns;
        } else if (set->requests[e].kind == PMU_EVENT_MIGRATIONS) {
            out->event[e].count = m->own_migrations + thread->migrations - m->migrations;
        } else {
            out->event[e].supported = pmu_set_share_is_counted(set, e, &out->counters);
            out->event[e].count = m->own[e] + (now ? pmu_set_share_since_fold(m, e, counts) : 0);
            out->event[e].ran_ns = clock_cycles_to_ns(m->own_ran[e] + (now ? slice : 0));
            out->event[e].ended = set->ended[e];
        }
    }
}
