/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmu_plan: which event counts on which counter. Where there are more events than counters that can
 * hold them, they take turns; an event that needs no turns keeps its counter in all of them.
 */
#ifndef STATS_PMU_PLAN_H
#define STATS_PMU_PLAN_H

#include <stdint.h>
#include "stats/pmu_event_name.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PMU_TURNS_MAX PMU_EVENTS_MAX

struct pmu_place {
    int counter; /* of the whole system; -1: does not count in this turn */
    pmc_evid_t code;
};

struct pmu_plan {
    unsigned turns; /* 0: nothing is to be counted on a counter */
    struct pmu_place place[PMU_TURNS_MAX][PMU_EVENTS_MAX];
};

/*
 * FREE: bit N: counter N may be used. Returns -1, or the event for which no counter that can hold
 * it is free. Those that nothing can count are left out.
 */
int pmu_plan_make(struct pmu_plan *plan, const struct pmu_event_request *requests, unsigned count,
                  uint32_t free);

#ifdef __cplusplus
}
#endif

#endif
