/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmu_plan: which event counts on which counter. Where there are more events than counters that can
 * hold them, they share them in time slices, each class of counters on its own: as fairly as the
 * counters permit. Nobody's share could grow without that of one who has no more becoming less, and
 * who has the share P of Q waits Q / P slices for the next at most, rounded up. An event that needs
 * no slices counts in all of them.
 */
#ifndef STATS_PMU_PLAN_H
#define STATS_PMU_PLAN_H

#include <stdint.h>
#include "stats/read/pmu_event_name.h"

#ifdef __cplusplus
extern "C" {
#endif

/* After so many slices of a class all begin again. Nearly all lists do so long before, and there
 * the shares are exact. */
#define PMU_SLICES_MAX 64

struct pmu_assignment {
    int counter; /* of the whole system; -1: does not count in this slice */
    pmc_evid_t code;
};

struct pmu_plan_slot {
    int8_t counter;
    uint8_t choice; /* of the request's */
};

struct pmu_plan {
    unsigned
        slices; /* of the class that has most of them; 0: nothing is to be counted on a counter */
    uint8_t period[PMU_EVENTS_MAX]; /* slices of the event's class, at least 1 */
    struct pmu_plan_slot slot[PMU_SLICES_MAX][PMU_EVENTS_MAX];
};

/*
 * FREE: bit N: counter N may be used. Returns -1, or the event for which no counter that can hold
 * it is free. Those that nothing can count are left out.
 */
int pmu_plan_make(struct pmu_plan *plan, const struct pmu_event_request *requests, unsigned count,
                  uint32_t free);

/* Which counter one of the plan's events has in slice SLICE, which may be any number. */
struct pmu_assignment pmu_plan_assignment(const struct pmu_plan *plan,
                                          const struct pmu_event_request *requests, unsigned slice,
                                          unsigned event);

#ifdef __cplusplus
}
#endif

#endif
