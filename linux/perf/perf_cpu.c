/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of perf_event_open(2) of a CPU, whoever it runs. A counter of the system's counts on every
 * CPU; so events of several CPUs that count the same share one.
 */
#include "kernel/cpu/cpu.h"
#include "kernel/thread/thread.h"
#include "kernel/time/clock.h"
#include "lib/section.h"
#include "linux/perf/perf_private.h"
#include "stats/pmc/pmu_class.h"
#include "stats/pmc/pmu_owner.h"

static struct {
    pmc_evid_t code;
    uint32_t modes;
    unsigned users;
    /* Once it has been taken, and before who has it counts: */
    volatile bool taken;
    uint64_t taken_at; /* cycles */
    uint64_t value[CPU_MAX];
} perf_cpu_counters[PMC_COUNTERS_MAX] SHARED_BSS;

static void perf_cpu_lost(struct lwp *l, uint32_t mask)
{
    struct pmc_cpu_value value;

    (void)l;
    for (int counter = 0; counter < PMC_COUNTERS_MAX; counter++) {
        if (!(mask >> counter & 1))
            continue;
        for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
            pmc_get_lost_value(counter, cpu, &value);
            perf_cpu_counters[counter].value[cpu] = value.value;
        }
        perf_cpu_counters[counter].taken_at = perf_cpu_time();
        __atomic_store_n(&perf_cpu_counters[counter].taken, true, __ATOMIC_RELEASE);
    }
}

static const struct pmu_owner perf_cpu_owner = {
    .name = "perf_event_open", .rank = PMU_RANK_SYSTEM, .system = true, .lost = perf_cpu_lost};

bool perf_cpu_is_taken(const struct perf_event *event, uint64_t *at)
{
    if (event->counter < 0 ||
        !__atomic_load_n(&perf_cpu_counters[event->counter].taken, __ATOMIC_ACQUIRE))
        return false;
    *at = perf_cpu_counters[event->counter].taken_at;
    return true;
}

bool perf_cpu_take(struct perf_event *event, const struct pmu_event *choice, int counter)
{
    struct pmc_counter_cfg cfg = {choice->code, 0, event->request.modes};
    bool same = perf_cpu_counters[counter].code == cfg.event_id &&
                perf_cpu_counters[counter].modes == cfg.flags && !perf_cpu_counters[counter].taken;

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
    int counter = event->counter;

    if (--perf_cpu_counters[counter].users == 0) {
        while (pmc_give(&perf_cpu_owner, counter) != 0 && !perf_cpu_counters[counter].taken)
            thread_yield(); /* it is just being taken, which will be told */
        perf_cpu_counters[counter].taken = false;
    }
    event->counter = -1;
}

/* The sum over all CPUs brings each one's up to date. While the counter is being taken it cannot be
 * read. */
static uint64_t perf_cpu_count(const struct perf_event *event)
{
    struct pmc_cpu_value value = {.value = 0};
    uint64_t sum, at;

    while ((pmc_get_counter_value(NULL, event->counter, 0, &sum) != 0 ||
            pmc_get_cpu_value(event->counter, (unsigned)event->cpu, &value) != 0) &&
           !perf_cpu_is_taken(event, &at))
        thread_yield();
    return perf_cpu_is_taken(event, &at) ? perf_cpu_counters[event->counter].value[event->cpu]
                                         : value.value;
}

uint64_t perf_cpu_source(const struct perf_event *event)
{
    if (event->kind == PERF_CLOCK)
        return perf_cpu_time();
    return event->kind == PERF_COUNTER && event->counter >= 0 ? perf_cpu_count(event) : 0;
}

uint64_t perf_cpu_time(void)
{
    return clock_ns_to_cycles(clock_now());
}
