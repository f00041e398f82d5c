/* SPDX-License-Identifier: BSD-2-Clause */
/* What pmu_set*.c share. A member, which is freed by its thread only, is taken off the thread's
 * l_pmc_set under the lock of stats/: so others may look at it under that. */
#pragma once

#include <stdbool.h>
#include <sys/pmc.h>
#include "kernel/pmu_set.h"
#include "kernel/spinlock.h"
#include "kernel/thread.h"

struct member {
    struct pmu_set *set;
    struct lwp *l;
    struct thread *thread; /* NULL until it has run */
    unsigned turn;         /* of the plan, counted on: not from 0 again when that is over */
    uint64_t folded[PMC_COUNTERS_MAX];    /* of the counter's value, part of the sums already */
    uint64_t time, user_time, migrations; /* the same of the thread's */
    uint64_t folds;
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
    uint64_t ended[PMU_EVENTS_MAX]; /* the part of counts of threads that have ended; under the lock
                                       of stats/ */
};

static inline struct pmu_place place_of(const struct pmu_set *set, unsigned turn, unsigned event)
{
    return pmu_plan_place(&set->plan, set->requests, turn, event);
}

/* By the member's thread, interrupts off: what it has counted since the last time goes into the
 * sums. */
void pmu_set_fold(struct member *m);
