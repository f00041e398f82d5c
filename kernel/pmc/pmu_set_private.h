/* SPDX-License-Identifier: BSD-2-Clause */
/* What pmu_set*.c share. A member, which is freed by its thread only, is taken off the thread's
 * l_pmc_set under the lock of stats/: so others may look at it under that. */
#pragma once

#include <stdbool.h>
#include <sys/pmc.h>
#include "stats/pmc/pmu_owner.h"
#include "kernel/pmc/pmu_set.h"
#include "kernel/lock/spinlock.h"
#include "kernel/thread/thread.h"

struct member {
    struct pmc_member member; /* first */
    struct pmu_set *set;
    struct lwp *l;
    uint32_t lost;         /* counters that were taken away: what they held counts no more */
    struct thread *thread; /* NULL until it has run */
    unsigned slice;        /* of the plan, counted on: not from 0 again when that is over */
    uint64_t folded[PMC_COUNTERS_MAX];    /* of the counter's value, part of the sums already */
    uint64_t time, user_time, migrations; /* the same of the thread's */
    /* Its own part of the sums. */
    uint64_t own[PMU_EVENTS_MAX], own_ran[PMU_EVENTS_MAX], own_time, own_migrations;
};

struct pmu_set {
    struct spinlock lock;
    unsigned users; /* the owner, and members */
    bool over;
    struct member *first; /* the thread that started it; NULL once it is over */
    unsigned count;
    struct pmu_event_request requests[PMU_EVENTS_MAX];
    struct pmu_plan plan;
    uint64_t counts[PMU_EVENTS_MAX], ran[PMU_EVENTS_MAX]; /* time in cycles */
    uint64_t time, user_time, migrations;
    uint32_t lost;                  /* of the first */
    uint64_t ended[PMU_EVENTS_MAX]; /* the part of counts of threads that have ended; under the lock
                                       of stats/ */
};

static inline struct pmu_assignment assignment_of(const struct pmu_set *set, unsigned slice,
                                                  unsigned event)
{
    return pmu_plan_assignment(&set->plan, set->requests, slice, event);
}

/* The counter on which its event counts in that slice; negative: on none. */
static inline int counter_of(const struct member *m, unsigned slice, unsigned event)
{
    int counter = assignment_of(m->set, slice, event).counter;

    return counter >= 0 && (m->lost >> counter & 1) ? -1 : counter;
}

/* Of a thread's l_pmc_set. */
static inline struct member *member_of(const struct lwp *l)
{
    return (struct member *)l->l_pmc_set;
}

/* By the member's thread, interrupts off: what it has counted since the last time goes into the
 * sums. */
void pmu_set_fold(struct member *m);
