/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A set of events counted for a thread and for the threads that it starts meanwhile, theirs
 * included. Where a plan has slices, each thread goes to the next one at its clock ticks; the time
 * that an event was asked for and the time that it was counted are kept, so that a reader can
 * scale. Times are the threads' CPU time: who does not run misses nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "stats/pmc/pmu_owner.h"
#include "stats/read/pmu_plan.h"

struct pmu_set;
extern const struct pmu_owner pmu_set_owner; /* of what sets count on */

struct pmu_set_value {
    uint64_t count;              /* of the clock: ns */
    uint64_t enabled_ns, ran_ns; /* equal where it had no slices to wait for */
};

struct pmu_set_values {
    bool over;     /* the set was stopped: they will not change */
    uint32_t lost; /* counters that were taken away from the thread that began */
    struct pmu_set_value event[PMU_EVENTS_MAX];
    uint64_t user_ns, system_ns; /* CPU time outside and inside the kernel */
};

/* bit N: counter N can be used by the calling thread. */
uint32_t pmu_set_free_counters(void);

/*
 * The calling thread begins to count. REQUESTS are copied; PLAN is theirs. 0, or a positive error
 * number with nothing programmed: ENOMEM, EBUSY (the thread counts a set already, or somebody has
 * taken a counter meanwhile), what pmc_configure_as says. *BAD: the event it says that of. Thread
 * context.
 */
int pmu_set_start(struct pmu_set **out, const struct pmu_event_request *requests, unsigned count,
                  const struct pmu_plan *plan, unsigned *bad, struct pmu_refusal *refusal);
/* The thread that has called pmu_set_start counts no more. Those of its children that go on are
 * left out from here. */
void pmu_set_stop(struct pmu_set *set);
/* What has been counted so far; the time at which that was so. By any thread; of children, what
 * they had counted at their last clock tick. Thread context, no lock held. */
uint64_t pmu_set_read(struct pmu_set *set, struct pmu_set_values *out);
/* After pmu_set_stop. */
void pmu_set_free(struct pmu_set *set);

/* What one thread has counted of the set that it is in. */
struct pmu_set_share {
    unsigned count;      /* events; 0: it is in none */
    bool first;          /* it has started the set */
    uint32_t counters;   /* that the set has in its slices */
    uint64_t enabled_ns; /* its CPU time in the set */
    struct {
        char text[PMU_EVENT_TEXT]; /* as it was asked for */
        bool clock;                /* it is that time */
        bool supported;            /* if not, nothing else is said here */
        uint64_t count, ran_ns;
        uint64_t ended; /* what threads of the set counted that have ended */
    } event[PMU_EVENTS_MAX];
};

struct thread;
/* Under the lock of stats/; THREAD, whose counts of the counters are COUNTS, does not run, or is
 * the caller (or interrupted by it) and has just done what the second is for. Interrupts off. */
void pmu_set_share_get(const struct thread *thread, const uint64_t *counts,
                       struct pmu_set_share *out);
void pmu_set_share_fold(const struct thread *self);
