/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of a set as figures of a report: scaled to all of the time where only a part was counted.
 */
#include "shell/commands/pmc/pmc_stat_counts.h"

void pmc_stat_counts(const struct pmc_events *events, const struct pmu_set_values *values,
                     struct pmc_stat_count *counts)
{
    for (unsigned e = 0; e < events->count; e++) {
        const struct pmu_event_request *request = &events->list[e];
        const struct pmu_set_value *value = &values->event[e];
        bool whole = value->ran_ns == value->enabled_ns;

        counts[e] = (struct pmc_stat_count){
            .name = request->text,
            .role = request->role,
            .modes = request->modes,
            .value = whole ? value->count
                           : pmc_stat_scale(value->count, value->enabled_ns, value->ran_ns),
            .run_ns = value->ran_ns,
            .running = whole ? PMC_STAT_WHOLE
                             : pmc_stat_scale(PMC_STAT_WHOLE, value->ran_ns, value->enabled_ns),
        };
        if (request->kind == PMU_EVENT_COUNTED && request->choice_count == 0)
            counts[e].state = PMC_STAT_NOT_SUPPORTED;
        else if (value->ran_ns == 0)
            counts[e].state = PMC_STAT_NOT_COUNTED;
        if (counts[e].state != PMC_STAT_COUNTED) /* nothing of the time, unless there was none */
            counts[e].running =
                counts[e].state == PMC_STAT_NOT_COUNTED && !whole ? 0 : PMC_STAT_WHOLE;
    }
}
