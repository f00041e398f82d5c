/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of what becomes of samples: each is in one stack, or counted as what it is instead. */
#include <arch/interrupt_flag.h>
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/preempt.h"
#include "kernel/memory/page.h"
#include <qpmu.h>
#include "kernel/pmc/pmc_profile.h"
#include "kernel/pmc/sample_ring.h"
#include "kernel/thread/thread.h"
#include "kernel/time/clock.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/taken.h"
#include "tests/kernel/until.h"

#define PERIOD  1000000u  /* ns */
#define WORK    40000000u /* ns; the rings are emptied each 20 ms */
#define LATE    20u       /* periods in which the clock cannot come */
#define GATHERS 5u        /* of which one, at least, has nobody else's between */

static int profile_clock_start(void)
{
    static struct pmu_event_request request;
    static struct pmu_plan plan;
    struct pmu_event_error error;
    struct pmu_refusal refusal;
    unsigned bad;

    memset(&request, 0, sizeof request);
    if (pmu_event_sampled("cpu-clock", &request, &error) != 0)
        return -1;
    request.period = PERIOD;
    if (pmu_plan_make(&plan, &request, 1, 0) != -1) /* it needs no counter */
        return -1;
    return pmc_profile_start(&request, 1, &plan, true, false, &bad, &refusal);
}

/* On the only CPU, with nobody else's samples: 0, or what the test is to return. */
static int profile_clock_start_alone(void)
{
    int error;

    if (cpu_count() > 1)
        return selftest_skip("needs the only CPU");
    error = profile_clock_start();
    if (error == EBUSY)
        return selftest_skip("somebody takes samples");
    SELFTEST_EQUAL(error, 0);
    return 0;
}

static struct pmc_profile_counts counts_now(void)
{
    struct pmc_profile_counts counts;

    pmc_profile_counts_get(&counts);
    return counts;
}

/* The periods that have passed until now, once the clock has come; too few if it never does. */
static uint64_t periods_until_next(void)
{
    struct pmc_sample_counts begin = counts_now().samples, now;
    uint64_t end = until_deadline();

    do
        now = counts_now().samples;
    while (now.sample == begin.sample && clock_now() < end);
    return now.sample + now.overflow + now.lost;
}

static void work(uint64_t ns)
{
    uint64_t end = clock_now() + ns;

    while (clock_now() < end)
        ;
}

static bool profile_add_stack(void *sum, const struct pmc_stack *stack)
{
    *(uint64_t *)sum += stack->count;
    return true;
}

/* In all stacks, which begin anew. */
static uint64_t sum_of_stacks(void)
{
    uint64_t sum = 0;

    pmc_profile_visit(profile_add_stack, &sum, true);
    return sum;
}

/* How many rings a gathering finds with samples and without, when nobody else empties any. */
static bool gather_finds(bool samples, unsigned full, unsigned empty)
{
    for (unsigned i = 0; i < GATHERS; i++) {
        struct pmc_profile_counts before, after;

        pmc_profile_gather();
        if (samples)
            periods_until_next();
        before = counts_now();
        pmc_profile_gather();
        after = counts_now();
        if (after.buf - before.buf == full && after.emptybuf - before.emptybuf == empty)
            return true;
    }
    return false;
}

SELFTEST(profile_sums, "profile-sums",
         "every period of the clock is a sample or lost, every sample in a stack")
{
    uint64_t begin = clock_now(), least, most, periods, in_stacks;
    bool one_full, one_empty;
    struct pmc_profile_counts counts;
    uintptr_t state;
    int error;

    error = profile_clock_start_alone();
    if (error != 0)
        return error;
    least = clock_now();
    work(WORK);
    state = interrupts_save();
    work(LATE * PERIOD);
    interrupts_restore(state);
    least = clock_now() - least;
    periods = periods_until_next();
    most = clock_now() - begin;
    one_full = gather_finds(true, 1, 0);
    pmc_profile_stop();
    counts = counts_now();
    one_empty = gather_finds(false, 0, 1);
    in_stacks = sum_of_stacks();
    in_stacks += sum_of_stacks();
    pmc_profile_end();
    SELFTEST_CHECK(periods + 1 >= least / PERIOD && periods <= most / PERIOD + 1);
    SELFTEST_CHECK(counts.samples.lost >= LATE - 2 && one_full && one_empty);
    SELFTEST_EQUAL(counts.dropbuf + counts.dropbuf_sample, 0);
    SELFTEST_EQUAL(in_stacks + counts.own, counts.samples.sample);
    return 0;
}

SELFTEST(profile_drops, "profile-drops",
         "samples for whose stacks there is no memory are counted as dropped")
{
    struct taken *all = NULL;
    struct pmc_profile_counts dropped, counts;
    uint64_t in_stacks;
    int error;

    if (cpu_count() > 1)
        return selftest_skip("needs the only CPU");
    preempt_disable(); /* nobody empties a ring before there is no memory */
    error = profile_clock_start();
    while (error == 0 && taken_push(&all, page_alloc(0)))
        ;
    preempt_enable();
    if (error == 0) {
        periods_until_next();
        pmc_profile_gather();
        dropped = counts_now();
    }
    taken_give_back(&all, page_free);
    if (error == EBUSY)
        return selftest_skip("somebody takes samples");
    SELFTEST_EQUAL(error, 0);
    pmc_profile_stop();
    counts = counts_now();
    in_stacks = sum_of_stacks();
    pmc_profile_end();
    SELFTEST_CHECK(dropped.dropbuf_sample > 0);
    SELFTEST_CHECK(dropped.dropbuf > 0 && dropped.dropbuf <= dropped.buf);
    SELFTEST_EQUAL(in_stacks + counts.own + counts.dropbuf_sample, counts.samples.sample);
    return 0;
}

#define OURS 1000u /* samples in the ring's code, and the others */
#define REST 300u

/* So many samples at PC of whose callers none is known. */
static void profile_own_put(uintptr_t pc, unsigned count)
{
    static const struct qpmu_callers cut = {.flags = QPMU_CALLERS_CUT};
    static const uint64_t no_words[1];
    uintptr_t state = interrupts_save();
    struct sample_ring *ring = &sample_rings[cpu_here.id];

    sample_rings_callers(&cut, no_words, 0);
    sample_ring_open(ring, false);
    for (unsigned i = 0; i < count; i++)
        sample_ring_put(ring, 0, false, pc);
    sample_ring_close(ring);
    sample_rings_callers(NULL, NULL, 0);
    interrupts_restore(state);
}

static bool profile_own_add_cut(void *sum, const struct pmc_stack *stack)
{
    if (stack->at[stack->depth - 1] == PMC_STACK_CUT)
        *(uint64_t *)sum += stack->at[0] == (uintptr_t)profile_own_put ? stack->count : OURS + REST;
    return false;
}

SELFTEST(
    profile_own, "profile-own",
    "a sample in the code that takes samples is the profiler's own, also if its callers are cut")
{
    struct pmc_profile_counts counts;
    uint64_t cut = 0;
    int error;

    error = profile_clock_start_alone();
    if (error != 0)
        return error;
    profile_own_put((uintptr_t)sample_ring_put, OURS);
    profile_own_put((uintptr_t)profile_own_put, REST);
    pmc_profile_stop();
    counts = counts_now();
    pmc_profile_visit(profile_own_add_cut, &cut, false);
    pmc_profile_end();
    SELFTEST_EQUAL(cut, REST);
    SELFTEST_CHECK(counts.own >= OURS && counts.samples.sample >= OURS + REST);
    return 0;
}
