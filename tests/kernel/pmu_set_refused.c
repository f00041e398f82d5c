/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A counter that a member of a set does not get for its next slice, as a new thread may not get one
 * that its creator did not have running: the event that was to count on it has not run.
 */
#include <arch/interrupt_flag.h>
#include "kernel/device/late.h"
#include "kernel/pmc/pmu_set_private.h"
#include "lib/string.h"
#include "tests/kernel/pmu_code.h"
#include "tests/kernel/pmu_take.h"
#include "tests/kernel/selftest.h"

#define TURNS  100000ull
#define LOOP   (CODE_LOOP_TURN * TURNS)
#define EVENTS 3u
#define ROUNDS 3u /* slices of the second kind */

static struct pmu_event_request requests[PMU_EVENTS_MAX];
static struct pmu_plan plan;

/* Two slices: in the first only event 0 counts; in the second event 1, on a counter that is not
 * used in the first, and event 2 on event 0's. -1: instructions are not counted by two counters. */
static int pmu_set_refused_prepare(void)
{
    const struct pmu_plan_slot none = {.counter = -1};
    struct pmu_plan_slot slot[2];
    struct pmu_event_error error;

    if (pmu_event_list("instructions:k,instructions:k", requests, 2, &error) != 2 ||
        requests[0].choice_count == 0 ||
        pmu_plan_make(&plan, requests, 2, pmu_set_free_counters()) >= 0 || plan.slices != 1)
        return -1;
    requests[2] = requests[0];
    memcpy(slot, plan.slot[0], sizeof slot);
    plan.slices = 2;
    for (unsigned e = 0; e < EVENTS; e++) {
        plan.period[e] = 2;
        plan.slot[0][e] = e == 0 ? slot[0] : none;
        plan.slot[1][e] = e == 0 ? none : e == 1 ? slot[1] : slot[0];
    }
    return slot[1].counter;
}

/* Interrupts off, so that no tick of the clock's comes between: what event 1 says it ran, and
 * counted; what event 2 counted. */
static void pmu_set_refused_count(struct member *m, uint64_t *ran, uint64_t *counted,
                                  uint64_t *other)
{
    for (unsigned round = 0; round < ROUNDS;) {
        pmu_set_owner.tick(curlwp);
        pmu_code_kernel(&pmu_code_loop, TURNS);
        round += m->slice % 2;
    }
    pmu_set_fold(m);
    *ran = m->own_ran[1];
    *counted = m->own[1];
    *other = m->own[2];
}

static int pmu_set_refused_run(int counter)
{
    struct pmc_counter_cfg cfg = {.event_id = requests[1].choices[plan.slot[1][1].choice]->code,
                                  .flags = PMC_MODE_K};
    struct member *m = member_of(curlwp);
    uint64_t ran, counted, other;
    uintptr_t state = interrupts_save();
    int error;

    while (m->slice % 2 != 0)
        pmu_set_owner.tick(curlwp);
    m->own_ran[1] = m->own[1] = m->own[2] = 0;
    error = pmc_release_as(&pmu_set_owner, curlwp, counter);
    if (error == 0)
        error = pmu_take_free(1u << counter, &cfg);
    if (error == 0)
        pmu_set_refused_count(m, &ran, &counted, &other);
    interrupts_restore(state);
    SELFTEST_EQUAL(error, 0);
    pmu_take_give(1u << counter);
    SELFTEST_EQUAL(ran, 0);
    SELFTEST_EQUAL(counted, 0);
    SELFTEST_CHECK(other >= ROUNDS * LOOP && other < (ROUNDS + 1) * LOOP);
    return 0;
}

SELFTEST_COUNTERS_ONE_CPU(pmu_set_refused, "pmu-set-refused",
                          "an event whose counter a set does not get for a slice has not run")
{
    struct pmu_refusal refusal;
    struct pmu_set *set;
    unsigned bad;
    int result, counter;

    late_start();
    counter = pmu_set_refused_prepare();
    if (counter < 0)
        return selftest_skip("no two counters of instructions here");
    SELFTEST_EQUAL(pmu_set_start(&set, requests, EVENTS, &plan, &bad, &refusal), 0);
    result = pmu_set_refused_run(counter);
    pmu_set_stop(set);
    pmu_set_free(set);
    return result;
}
