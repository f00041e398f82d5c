/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmu_plan: which event counts on which counter. Where there are more events than counters that can
 * hold them, they take turns, each class of counters on its own: as fairly as the counters permit.
 * Nobody's share could grow without that of one who has no more becoming less, and who has the
 * share P of Q waits Q / P turns for the next at most, rounded up. An event that needs no turns
 * counts in all of them.
 */
#ifndef STATS_PMU_PLAN_H
#define STATS_PMU_PLAN_H

#include <stdint.h>
#include "stats/pmu_event_name.h"

#ifdef __cplusplus
extern "C" {
#endif

/* After so many turns of a class all begin again. Nearly all lists do so long before, and there
 * the shares are exact. */
#define PMU_TURNS_MAX 64

struct pmu_place {
    int counter; /* of the whole system; -1: does not count in this turn */
    pmc_evid_t code;
};

struct pmu_plan_slot {
    int8_t counter;
    uint8_t choice; /* of the request's */
};

struct pmu_plan {
    unsigned
        turns; /* of the class that has most of them; 0: nothing is to be counted on a counter */
    uint8_t period[PMU_EVENTS_MAX]; /* turns of the event's class, at least 1 */
    struct pmu_plan_slot slot[PMU_TURNS_MAX][PMU_EVENTS_MAX];
};

/*
 * FREE: bit N: counter N may be used. Returns -1, or the event for which no counter that can hold
 * it is free. Those that nothing can count are left out.
 */
int pmu_plan_make(struct pmu_plan *plan, const struct pmu_event_request *requests, unsigned count,
                  uint32_t free);

/* The place of one of the plan's events in turn TURN, which may be any number. */
struct pmu_place pmu_plan_place(const struct pmu_plan *plan,
                                const struct pmu_event_request *requests, unsigned turn,
                                unsigned event);

#ifdef __cplusplus
}
#endif

#endif
