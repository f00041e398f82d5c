/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples: see pmc_sample.h. Which counters and clocks bring them, and when they end. What becomes
 * of one is in sample_ring.c.
 */
#include "kernel/pmc/pmc_sample.h"
#include <arch/cpu.h>
#include <sys/pmc.h>
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cross_call.h"
#include "kernel/pmc/pmu_slot.h"
#include "kernel/pmc/sample_ring.h"
#include "kernel/time/timer.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "stats/pmc/pmu_owner.h"
#include "lib/section.h"

static uint32_t lost_counters;
static SHARED_BSS struct timer clocks[CPU_MAX];

static void pmc_sample_clock_begin(void *unused)
{
    (void)unused;
    timer_set(&clocks[cpu_here.id], clock_after(clock_now(), sample_sources.clock_period),
              sample_ring_clock_due);
}

static void pmc_sample_none(void *unused)
{
    (void)unused;
}

/* What was sampled until then is in the rings. */
static void pmc_sample_lose(struct lwp *unused, uint32_t mask)
{
    (void)unused;
    for (int ctr = 0; mask >> ctr != 0; ctr++)
        if (mask >> ctr & 1)
            sample_sources.event_of[ctr] = -1;
    lost_counters |= mask;
}

static const struct pmu_owner tprof = {.name = "tprof",
                                       .rank = PMU_RANK_PROFILE,
                                       .system = true,
                                       .profiles = true,
                                       .sample = sample_ring_overflow,
                                       .lost = pmc_sample_lose};

void pmc_sample_end(void)
{
    pmu_slot_rings_restore();
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        sample_ring_end(&sample_rings[cpu]);
    }
    pmu_samples_give(&tprof);
}

static int pmc_sample_prepare(bool chains, bool counters, struct pmu_refusal *refusal)
{
    if (pmu_samples_take(&tprof, counters, refusal) != 0)
        return EBUSY;
    sample_sources.clock_event = -1;
    lost_counters = 0;
    for (unsigned ctr = 0; ctr < PMC_COUNTERS_MAX; ctr++)
        sample_sources.event_of[ctr] = -1;
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        if (!sample_ring_begin(&sample_rings[cpu], chains)) {
            pmc_sample_end();
            return ENOMEM;
        }
    }
    return 0;
}

static int pmc_sample_begin_event(const struct pmu_event_request *request,
                                  struct pmu_assignment assigned, int event,
                                  struct pmu_refusal *refusal)
{
    struct pmc_counter_cfg cfg = {assigned.code, request->period, request->modes};
    int error;

    if (request->kind == PMU_EVENT_CLOCK) {
        sample_sources.clock_event = event;
        sample_sources.clock_period = request->period;
        cross_call_all(pmc_sample_clock_begin, NULL);
        return 0;
    }
    if (request->period == 0)
        return EINVAL;
    sample_sources.event_of[assigned.counter] = event;
    error = pmc_take(&tprof, 1u << assigned.counter, &cfg, PMU_IF_FREE, refusal);
    if (error)
        sample_sources.event_of[assigned.counter] = -1;
    return error;
}

int pmc_sample_start(const struct pmu_event_request *requests, unsigned count,
                     const struct pmu_plan *plan, bool chains, unsigned *bad,
                     struct pmu_refusal *refusal)
{
    int error = pmc_sample_prepare(chains, plan->slices > 0, refusal);

    *bad = 0;
    if (error)
        return error;
    if (plan->slices > 0)
        pmu_slot_rings_enlarge(chains);
    sample_sources.on = true;
    for (*bad = 0; *bad < count; ++*bad) {
        error = pmc_sample_begin_event(
            &requests[*bad], pmu_plan_assignment(plan, requests, 0, *bad), (int)*bad, refusal);
        if (error) {
            pmc_sample_stop();
            pmc_sample_end();
            return error;
        }
    }
    return 0;
}

void pmc_sample_stop(void)
{
    for (int ctr = 0; ctr < PMC_COUNTERS_MAX; ctr++)
        if (sample_sources.event_of[ctr] >= 0)
            (void)pmc_give(&tprof, ctr);
    sample_sources.on = false;
    cross_call_all(pmc_sample_none, NULL); /* handlers have interrupts off */
    for (unsigned cpu = 0; sample_sources.clock_event >= 0 && cpu < cpu_count(); cpu++)
        (void)timer_cancel_wait(&clocks[cpu]);
}

uint32_t pmc_sample_lost(void)
{
    return lost_counters;
}

void pmc_sample_counts_get(struct pmc_sample_counts *out)
{
    memset(out, 0, sizeof *out);
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        const volatile struct pmc_sample_counts *counts = &sample_rings[cpu].counts;

        out->sample += counts->sample;
        out->overflow += counts->overflow;
        out->lost += counts->lost;
    }
}
