/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples: see pmc_sample.h. Which counters and clocks bring them, and when they end; how they are
 * kept is sample_ring.h's.
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

#define CLOCK_LEAST 20000 /* ns from one sample of the clock to the next */

uintptr_t pmc_sample_takers[2];
static volatile bool sampling; /* handlers may write */
static SHARED_BSS struct sample_ring rings[CPU_MAX];
static int event_of[PMC_COUNTERS_MAX]; /* of a counter; -1: not sampled */
static uint32_t lost_counters;
static int clock_event; /* -1: none */
static uint64_t clock_period;
static SHARED_BSS struct timer clocks[CPU_MAX];

bool pmc_sample_take(unsigned cpu, struct pmc_taken *out)
{
    return sample_ring_take(&rings[cpu], out);
}

void pmc_samples_begin(void)
{
    rings[cpu_here.id].several = true;
}

void pmc_samples_end(void)
{
    struct sample_ring *ring = &rings[cpu_here.id];

    ring->several = false;
    if (ring->batch != BATCH_NONE)
        sample_ring_close(ring);
}

void pmc_samples_callers(const struct qpmu_callers *callers, const uint64_t *words, uint32_t mask)
{
    struct sample_ring *ring = &rings[cpu_here.id];

    ring->callers = callers;
    ring->caller_words = words;
    ring->caller_mask = mask;
}

bool pmc_samples_refused(void)
{
    return rings[cpu_here.id].batch == BATCH_REFUSED;
}

/* A period of a counter that tprof has is over. */
static void pmc_sample_overflow(const struct pmc_sample *sample)
{
    struct sample_ring *ring = &rings[sample->cpu];

    if (!sampling || event_of[sample->ctr] < 0)
        return;
    if (!sample->known) {
        uint64_t *count = pmc_samples_refused() ? &ring->counts.overflow : &ring->counts.lost;

        *count += sample->count;
        return;
    }
    if (ring->batch == BATCH_NONE)
        sample_ring_open(ring, false);
    sample_ring_put(ring, event_of[sample->ctr], sample->user, sample->pc);
    if (!ring->several)
        sample_ring_close(ring);
}

/* The clock's own samples: where its interrupt came. */
static void pmc_sample_clock_due(struct timer *timer)
{
    struct sample_ring *ring = &rings[cpu_here.id];
    uint64_t next = clock_after(timer_deadline(timer), clock_period), now = clock_now();

    if (!sampling)
        return;
    sample_ring_open(ring, true);
    sample_ring_put(ring, clock_event, false, sample_ring_innermost(ring));
    sample_ring_close(ring);
    if (next < now + CLOCK_LEAST) { /* late, or too short a period */
        uint64_t missed = (now + CLOCK_LEAST - next) / clock_period + 1;

        ring->counts.lost += missed;
        next += missed * clock_period;
    }
    timer_set(timer, next, pmc_sample_clock_due);
}

static void pmc_sample_clock_begin(void *unused)
{
    (void)unused;
    timer_set(&clocks[cpu_here.id], clock_after(clock_now(), clock_period), pmc_sample_clock_due);
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
            event_of[ctr] = -1;
    lost_counters |= mask;
}

static const struct pmu_owner tprof = {.name = "tprof",
                                       .rank = PMU_RANK_PROFILE,
                                       .system = true,
                                       .profiles = true,
                                       .sample = pmc_sample_overflow,
                                       .lost = pmc_sample_lose};

void pmc_sample_end(void)
{
    pmu_slot_rings_restore();
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        sample_ring_end(&rings[cpu]);
    }
    pmu_samples_give(&tprof);
}

static int pmc_sample_prepare(bool chains, bool counters, struct pmu_refusal *refusal)
{
    if (pmu_samples_take(&tprof, counters, refusal) != 0)
        return EBUSY;
    clock_event = -1;
    lost_counters = 0;
    for (unsigned ctr = 0; ctr < PMC_COUNTERS_MAX; ctr++)
        event_of[ctr] = -1;
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        if (!sample_ring_begin(&rings[cpu], chains)) {
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
        clock_event = event;
        clock_period = request->period;
        cross_call_all(pmc_sample_clock_begin, NULL);
        return 0;
    }
    if (request->period == 0)
        return EINVAL;
    event_of[assigned.counter] = event;
    error = pmc_take(&tprof, 1u << assigned.counter, &cfg, PMU_IF_FREE, refusal);
    if (error)
        event_of[assigned.counter] = -1;
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
    sampling = true;
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
        if (event_of[ctr] >= 0)
            (void)pmc_give(&tprof, ctr);
    sampling = false;
    cross_call_all(pmc_sample_none, NULL); /* handlers have interrupts off */
    for (unsigned cpu = 0; clock_event >= 0 && cpu < cpu_count(); cpu++)
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
        const volatile struct pmc_sample_counts *counts = &rings[cpu].counts;

        out->sample += counts->sample;
        out->overflow += counts->overflow;
        out->lost += counts->lost;
    }
}
