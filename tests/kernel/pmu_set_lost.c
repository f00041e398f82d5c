/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters that a set loses at the end of a slice: each event has what was counted as its own. */
#include <arch/interrupt_flag.h>
#include "kernel/device/late.h"
#include "kernel/pmc/pmu_set_private.h"
#include "tests/kernel/pmu_code.h"
#include "tests/kernel/pmu_take.h"
#include "tests/kernel/selftest.h"

#define TURNS  100000ull
#define LOOP   (CODE_LOOP_TURN * TURNS)
#define AROUND (LOOP / 2) /* counted besides at most: calls, and a tick */
#define EVENTS 12u        /* more than there are counters */

static struct pmu_event_request requests[PMU_EVENTS_MAX];
static struct pmu_plan plan;
static unsigned slice; /* that loses them */
static struct pmu_set_values values;

static void pmu_set_lost_work(void)
{
    pmu_code_kernel(&pmu_code_loop, TURNS);
}

static int pmu_set_lost_counter(unsigned event)
{
    return pmu_plan_assignment(&plan, requests, slice, event).counter;
}

static bool pmu_set_lost_prepare(void)
{
    struct pmu_event_error error;
    struct pmu_event_request one;

    if (pmu_event_list("instructions:k", &one, 1, &error) != 1 || one.choice_count == 0)
        return false;
    for (unsigned e = 0; e < EVENTS; e++)
        requests[e] = one;
    return pmu_plan_make(&plan, requests, EVENTS, pmu_set_free_counters()) < 0;
}

/* The first counters of the slice, MOST of them at most, and what they are to count. */
static uint32_t pmu_set_lost_take(unsigned most, struct pmc_counter_cfg cfgs[PMC_COUNTERS_MAX])
{
    uint32_t mask = 0;
    unsigned count = 0;

    for (int counter = 0; counter < PMC_COUNTERS_MAX; counter++)
        for (unsigned e = 0; e < EVENTS && count < most; e++)
            if (pmu_set_lost_counter(e) == counter) {
                mask |= 1u << counter;
                cfgs[count++] = (struct pmc_counter_cfg){
                    pmu_plan_assignment(&plan, requests, slice, e).code, 0, PMC_MODE_K};
            }
    return mask;
}

/* What each event has: of those that lose their counter 3 loops, of others of the slice 4. */
static int pmu_set_lost_check(uint32_t mask)
{
    for (unsigned e = 0; e < EVENTS; e++) {
        int counter = pmu_set_lost_counter(e);
        uint64_t loops = counter < 0 ? 0 : (mask >> counter & 1) ? 3 : 4;
        uint64_t count = values.event[e].count;

        if (count < loops * LOOP || count > loops * LOOP + AROUND)
            return selftest_fail("event %u on counter %d, lost %x: %lu, not %lu and a little", e,
                                 counter, mask, (unsigned long)count,
                                 (unsigned long)(loops * LOOP));
    }
    return 0;
}

static int pmu_set_lost_run(unsigned most)
{
    struct pmc_counter_cfg cfgs[PMC_COUNTERS_MAX];
    struct pmu_refusal refusal;
    struct pmu_set *set;
    uintptr_t state;
    uint32_t mask;
    unsigned bad;
    int error;

    SELFTEST_EQUAL(pmu_set_start(&set, requests, EVENTS, &plan, &bad, &refusal), 0);
    state = interrupts_save();
    slice = member_of(curlwp)->slice;
    mask = pmu_set_lost_take(most, cfgs);
    error = pmu_take_late(mask, cfgs, pmu_set_lost_work);
    interrupts_restore(state);
    pmu_set_stop(set);
    if (error == 0)
        pmu_take_give(mask);
    (void)pmu_set_read(set, &values);
    pmu_set_free(set);
    SELFTEST_EQUAL(error, 0);
    SELFTEST_EQUAL(values.lost, mask);
    return pmu_set_lost_check(mask);
}

SELFTEST_COUNTERS_ONE_CPU(pmu_set_lost, "pmu-set-lost",
                          "a set that loses counters at the end of a slice has each event's own")
{
    int result;

    late_start();
    if (!pmu_set_lost_prepare())
        return selftest_skip("no instructions are counted here");
    SELFTEST_CHECK(plan.slices >= 2);
    result = pmu_set_lost_run(1);
    return result != 0 ? result : pmu_set_lost_run(EVENTS);
}
