/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of perf_event_open(2) of a CPU, whoever it runs. A counter of the system's counts on every
 * CPU; so events of several CPUs that count the same share one.
 */
#include "kernel/time/clock.h"
#include "linux/perf_private.h"
#include "stats/pmc/pmu_class.h"
#include "stats/pmc/pmu_owner.h"

static const struct pmu_owner perf_cpu_owner = {
    .name = "perf_event_open", .rank = PMU_RANK_SYSTEM, .system = true};

static struct {
    pmc_evid_t code;
    uint32_t modes;
    unsigned users;
} perf_cpu_counters[PMC_COUNTERS_MAX];

bool perf_cpu_take(struct perf_event *event, const struct pmu_event *choice, int counter)
{
    struct pmc_counter_cfg cfg = {choice->code, 0, event->request.modes};
    bool same = perf_cpu_counters[counter].code == cfg.event_id &&
                perf_cpu_counters[counter].modes == cfg.flags;

    if (perf_cpu_counters[counter].users == 0) {
        if (pmc_take(&perf_cpu_owner, 1u << counter, &cfg, PMU_IF_FREE, NULL) != 0)
            return false;
        perf_cpu_counters[counter].code = cfg.event_id;
        perf_cpu_counters[counter].modes = cfg.flags;
    } else if (!same) {
        return false;
    }
    perf_cpu_counters[counter].users++;
    event->counter = counter;
    return true;
}

void perf_cpu_give(struct perf_event *event)
{
    if (--perf_cpu_counters[event->counter].users == 0)
        (void)pmc_give(&perf_cpu_owner, event->counter);
    event->counter = -1;
}

/* The sum over all CPUs brings each one's up to date. */
uint64_t perf_cpu_source(const struct perf_event *event)
{
    struct pmc_cpu_value value = {.value = 0};
    uint64_t sum;

    if (event->kind == PERF_CLOCK)
        return perf_cpu_time();
    if (event->kind == PERF_COUNTER && pmc_get_counter_value(NULL, event->counter, 0, &sum) == 0)
        (void)pmc_get_cpu_value(event->counter, (unsigned)event->cpu, &value);
    return value.value;
}

uint64_t perf_cpu_time(void)
{
    return clock_ns_to_cycles(clock_now());
}
