/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of events: a thread's children and theirs are counted, and turns are taken. */
#include "kernel/pmc/pmu_set.h"
#include <sys/pmc.h>
#include "kernel/device/late.h"
#include "kernel/pmc/pmc_thread.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "tests/kernel/pmu_code.h"

#define TURNS 1000000ull
#define WORK  (CODE_LOOP_TURN * TURNS)

#define LOOPS 32u

static struct pmu_event_request requests[PMU_EVENTS_MAX];
static struct pmu_plan plan;
static struct pmu_set_values values;
static struct pmc_thread_values one; /* of the thread itself */

static void pmu_set_work(void *unused)
{
    (void)unused;
    pmu_code_kernel(&pmu_code_loop, TURNS);
}

static void pmu_set_child(void *grandchild)
{
    struct thread *thread;

    pmu_set_work(NULL);
    thread_sleep(1); /* a switch; a join is none if the other one has ended elsewhere */
    if (grandchild &&
        thread_create("grandchild", THREAD_PRIORITY_NORMAL, pmu_set_work, NULL, &thread) == 0)
        thread_join(thread);
}

/* Threads do the work twice; the caller does it COUNT times. */
static void family(unsigned count)
{
    struct thread *thread;

    while (count-- > 0)
        pmu_set_work(NULL);
    thread_sleep(1);
    if (thread_create("child", THREAD_PRIORITY_NORMAL, pmu_set_child, "with one", &thread) == 0)
        thread_join(thread);
}

/* The number of events of a list with commas, which have a plan then; 0 if that cannot be. */
static int pmu_set_prepare(const char *events)
{
    struct pmu_event_error error;
    int number = pmu_event_list(events, requests, PMU_EVENTS_MAX, &error);

    if (number < 0 ||
        pmu_plan_make(&plan, requests, (unsigned)number, pmu_set_free_counters()) >= 0)
        return 0;
    return number;
}

/* What the events count while the family works, in `values`. The number of events, or -1. */
static int count_family(const char *events, unsigned count)
{
    int number = pmu_set_prepare(events);
    struct pmc_thread_entry own;
    struct pmu_refusal refusal;
    struct pmu_set *set;
    unsigned bad;

    if (number == 0 || pmu_set_start(&set, requests, (unsigned)number, &plan, &bad, &refusal) != 0)
        return -1;
    family(count);
    if (pmc_thread_list(&own, 1) != 1 || pmc_thread_read(&own, &one) != 0)
        one.set.count = 0;
    pmu_set_stop(set);
    (void)pmu_set_read(set, &values);
    pmu_set_free(set);
    return number;
}

/* How fast the machine is, and how many interrupts come meanwhile, does not matter: the set cannot
 * count more than the whole system does. */
SELFTEST_COUNTERS(pmu_set_family, "pmu-set-family", "a set counts children and theirs")
{
    struct pmc_counter_cfg cfg;
    uint64_t count, whole;
    int ctr;

    late_start();
    if (!pmu_set_prepare("instructions") || requests[0].choice_count == 0)
        return selftest_skip("no instructions are counted here");
    ctr = pmu_plan_assignment(&plan, requests, 0, 0).counter;
    cfg = (struct pmc_counter_cfg){.event_id = pmu_plan_assignment(&plan, requests, 0, 0).code};
    for (unsigned own = 0; own < 2; own++) {
        SELFTEST_EQUAL(pmc_alloc_kernel_counter(ctr, &cfg), 0);
        SELFTEST_EQUAL(count_family("instructions,context-switches,task-clock,cpu-migrations", own),
                       4);
        SELFTEST_EQUAL(pmc_get_counter_value(NULL, ctr, 0, &whole), 0);
        SELFTEST_EQUAL(pmc_free_kernel_counter(ctr), 0);
        SELFTEST_EQUAL(plan.slices, 1);
        count = values.event[0].count;
        if (count < (2 + own) * WORK || count > whole)
            return selftest_fail("%lu instructions in %u times %lu, %lu in all",
                                 (unsigned long)count, 2 + own, (unsigned long)WORK,
                                 (unsigned long)whole);
        SELFTEST_CHECK(values.event[0].ran_ns == values.event[0].enabled_ns);
        SELFTEST_CHECK(values.event[1].count >= 2); /* two sleeps */
        SELFTEST_EQUAL(values.event[2].count, values.user_ns + values.system_ns);
    }
    return 0;
}

/* More events than there are counters: the same one over and over. Somebody has each turn. */
SELFTEST_COUNTERS(pmu_set_turns, "pmu-set-turns", "events take turns, and their times add up")
{
    static const char many[] = "instructions,instructions,instructions,instructions,instructions,"
                               "instructions,instructions,instructions,instructions,instructions";
    uint64_t ran = 0, count = 0, own = 0;
    int number;

    late_start();
    number = count_family(many, LOOPS - 2);
    if (number < 0 || requests[0].choice_count == 0)
        return selftest_skip("no instructions are counted here");
    SELFTEST_CHECK(plan.slices >= 2);
    SELFTEST_EQUAL(one.set.count, (unsigned)number);
    for (int e = 0; e < number; e++) {
        const struct pmu_set_value *value = &values.event[e];

        SELFTEST_CHECK(value->ran_ns <= value->enabled_ns);
        ran += value->ran_ns;
        own += one.set.event[e].ran_ns;
        count += value->count;
    }
    SELFTEST_CHECK(ran >= values.event[0].enabled_ns);
    SELFTEST_CHECK(own >= one.set.enabled_ns && one.set.enabled_ns > 0);
    /* Some had to wait. */
    SELFTEST_CHECK(ran < (unsigned)number * values.event[0].enabled_ns);
    SELFTEST_CHECK(own < (unsigned)number * one.set.enabled_ns);
    SELFTEST_CHECK(count >= LOOPS * WORK);
    return 0;
}

/* Whether it counts on the counter that the argument points to, which becomes 1 or 0. */
static void tell_running(void *counter)
{
    *(int *)counter = pmc_counter_isrunning(curlwp, *(int *)counter);
}

SELFTEST_COUNTERS(pmu_set_inherit, "pmu-set-inherit",
                  "what a thread counts besides a set with turns, its children count too")
{
    struct pmu_refusal refusal;
    static const char many[] = "interrupts,interrupts,interrupts,interrupts,interrupts";
    struct pmc_counter_cfg cfg;
    struct thread *thread;
    struct pmu_set *set;
    int ctr, running;
    unsigned bad;

    late_start();
    SELFTEST_EQUAL(pmu_set_prepare("context-switches"), 1);
    running = ctr = pmu_plan_assignment(&plan, requests, 0, 0).counter;
    cfg = (struct pmc_counter_cfg){.event_id = pmu_plan_assignment(&plan, requests, 0, 0).code};
    SELFTEST_EQUAL(pmc_configure_counter(curlwp, ctr, &cfg), 0);
    SELFTEST_EQUAL(pmc_enable_counter(curlwp, ctr), 0);
    SELFTEST_EQUAL(pmu_set_prepare(many), 5);
    SELFTEST_CHECK(plan.slices >= 2);
    SELFTEST_EQUAL(pmu_set_start(&set, requests, 5, &plan, &bad, &refusal), 0);
    if (thread_create("child", THREAD_PRIORITY_NORMAL, tell_running, &running, &thread) == 0)
        thread_join(thread);
    pmu_set_stop(set);
    pmu_set_free(set);
    SELFTEST_EQUAL(pmc_release_counter(curlwp, ctr), 0);
    SELFTEST_EQUAL(running, 1);
    return 0;
}

SELFTEST_COUNTERS(pmu_set_busy, "pmu-set-busy", "a refused set leaves no counter taken")
{
    struct pmu_refusal refusal;
    struct pmu_event_error error;
    struct pmu_set *set, *second;
    struct pmc_counter_cfg cfg;
    uint32_t free;
    unsigned bad;

    late_start();
    free = pmu_set_free_counters();
    SELFTEST_EQUAL(pmu_event_list("context-switches,interrupts", requests, 2, &error), 2);
    SELFTEST_CHECK(pmu_plan_make(&plan, requests, 2, free) < 0);
    SELFTEST_EQUAL(pmu_set_start(&set, requests, 2, &plan, &bad, &refusal), 0);
    SELFTEST_EQUAL(pmu_set_start(&second, requests, 2, &plan, &bad, &refusal), EBUSY);
    pmu_set_stop(set);
    pmu_set_free(set);
    SELFTEST_EQUAL(pmu_set_free_counters(), free);
    cfg = (struct pmc_counter_cfg){.event_id = pmu_plan_assignment(&plan, requests, 0, 1).code};
    SELFTEST_EQUAL(
        pmc_alloc_kernel_counter(pmu_plan_assignment(&plan, requests, 0, 1).counter, &cfg), 0);
    SELFTEST_EQUAL(pmu_set_start(&set, requests, 2, &plan, &bad, &refusal), EBUSY);
    SELFTEST_EQUAL(bad, 1);
    SELFTEST_EQUAL(pmc_free_kernel_counter(pmu_plan_assignment(&plan, requests, 0, 1).counter), 0);
    SELFTEST_EQUAL(pmu_set_free_counters(), free);
    return 0;
}
