/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Owners of counters: who gets a counter that somebody has, by a table; and what a thread has
 * counted when its counter is taken away: compared with what the thread itself knows.
 */
#include "stats/pmc/pmu_owner.h"
#include <arch/interrupt_flag.h>
#include <sys/pmc.h>
#include "tests/kernel/selftest.h"
#include "kernel/device/late.h"
#include "kernel/pmc/pmu_set.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "stats/pmc/pmu_class.h"

#define SWITCHES 0x10000u /* event context-switches of class soft */
#define ROUNDS   100u

static int counter; /* the first of class soft */
static struct pmu_refusal refusal;

static int find(void)
{
    const struct pmu_class *class;

    late_start();
    for (unsigned i = 0; (class = pmu_class_at(i, &counter)) != NULL; i++)
        if (class->type == PMC_TYPE_SOFT)
            return 0;
    return 1;
}

/* --- grants --- */

static const struct pmu_owner whole = {.name = "whole", .rank = PMU_RANK_SYSTEM, .system = true};
static const struct pmu_owner profile = {
    .name = "profile", .rank = PMU_RANK_PROFILE, .system = true, .profiles = true};
static const struct pmu_owner mode = {.name = "mode", .rank = PMU_RANK_MODE, .system = true};

static int take(const struct pmu_owner *owner, enum pmu_how how)
{
    struct pmc_counter_cfg cfg = {SWITCHES, owner->profiles ? 1000000 : 0, 0};

    return pmc_take(owner, 1u << counter, &cfg, how, &refusal);
}

/* A set of one event; its plan may have been made while the counter was free. */
static struct pmu_set *running;
static struct pmu_event_request request;
static struct pmu_plan plan;

static int start_set(void)
{
    unsigned bad;

    return pmu_set_start(&running, &request, 1, &plan, &bad, &refusal);
}

static void stop_set(void)
{
    pmu_set_stop(running);
    pmu_set_free(running);
}

static struct lwp *other; /* of a thread that sleeps meanwhile */

enum asker { OWN, OTHERS, SET, PROFILE, SYSTEM, ASKERS };

static int pmu_owner_get(enum asker who)
{
    struct pmc_counter_cfg cfg = {SWITCHES, 0, 0};

    switch (who) {
    case OWN:
    case OTHERS:
        return pmc_configure_as(&pmu_owner_thread, who == OWN ? curlwp : other, counter, &cfg,
                                &refusal);
    case SET:
        return start_set();
    default:
        return take(who == PROFILE ? &profile : &whole, PMU_IF_FREE);
    }
}

static int pmu_owner_give(enum asker who)
{
    switch (who) {
    case OWN:
    case OTHERS:
        return pmc_release_counter(who == OWN ? curlwp : other, counter);
    case SET:
        stop_set();
        return 0;
    default:
        return pmc_give(who == PROFILE ? &profile : &whole, counter);
    }
}

static const struct pmu_owner *const owners[] = {&pmu_owner_thread, &pmu_owner_thread,
                                                 &pmu_set_owner, &profile, &whole};

/* Who has the counter (row), who asks (column). */
static const char *const granted[ASKERS] = {
    "11000", /* the thread itself: it may configure anew, and other threads may too */
    "11100", /* another thread */
    "01000", /* a set that counts the thread */
    "00000", /* a profile */
    "00000", /* the system */
};

static int check_pair(enum asker has, enum asker asks)
{
    bool gets = granted[has][asks] == '1';
    int error;

    SELFTEST_EQUAL(pmu_owner_get(has), 0);
    error = pmu_owner_get(asks);
    if (error != (gets ? 0 : EBUSY))
        return selftest_fail("%u has it, %u asks: %d", has, asks, error);
    SELFTEST_CHECK(gets || refusal.holder == owners[has]);
    SELFTEST_CHECK(gets || has > OTHERS || refusal.thread != 0);
    if (gets && has != asks)
        SELFTEST_EQUAL(pmu_owner_give(asks), 0);
    SELFTEST_EQUAL(pmu_owner_give(has), 0);
    return 0;
}

static volatile bool stop;

static void wait_for_stop(void *unused)
{
    (void)unused;
    while (!stop)
        thread_sleep(1000000);
}

static int check_pairs(void)
{
    struct pmu_event_error error;

    SELFTEST_EQUAL(pmu_event_list("context-switches", &request, 1, &error), 1);
    SELFTEST_CHECK(pmu_plan_make(&plan, &request, 1, 1u << counter) < 0);
    for (enum asker has = OWN; has < ASKERS; has++)
        for (enum asker asks = OWN; asks < ASKERS; asks++)
            if (check_pair(has, asks) != 0)
                return 1;
    SELFTEST_EQUAL(take(&whole, PMU_IF_FREE), 0); /* nothing is left behind */
    SELFTEST_EQUAL(pmc_give(&whole, counter), 0);
    return 0;
}

SELFTEST_COUNTERS(pmu_owners, "pmu-owners", "each pair of owners of a counter, by a table")
{
    struct thread *thread;
    int result;

    SELFTEST_EQUAL(find(), 0);
    stop = false;
    SELFTEST_EQUAL(thread_create("other", THREAD_PRIORITY_NORMAL, wait_for_stop, NULL, &thread), 0);
    other = &thread->lwp;
    result = check_pairs();
    stop = true;
    thread_join(thread);
    return result;
}

/* --- takings --- */

/* A thread that counts its own switches until the counter is taken from it, again and again. */
static struct loser {
    struct lwp *l;
    uint64_t start;          /* its switches when it began */
    uint64_t counted, truth; /* when it lost */
    unsigned losses;
    int error;
    volatile bool counts;
} loser;

/* Interrupts off, where the thread runs. */
static void pmu_owner_lost(struct lwp *l, uint32_t mask)
{
    loser.truth = thread_current()->switches - loser.start;
    loser.losses++;
    if (l != loser.l || l != curlwp || mask != 1u << counter ||
        pmc_get_counter_value(l, counter, 0, &loser.counted) != 0)
        loser.error = 1;
}

static const struct pmu_owner losing = {.name = "a loser", .lost = pmu_owner_lost};

static void begin_to_count(void)
{
    struct pmc_counter_cfg cfg = {SWITCHES, 0, 0};
    uintptr_t state;

    if (pmc_configure_as(&losing, curlwp, counter, &cfg, NULL) != 0)
        return; /* the system has it still */
    state = interrupts_save();
    loser.start = thread_current()->switches;
    if (pmc_enable_as(&losing, curlwp, 1u << counter, true) == 0)
        loser.counts = true;
    interrupts_restore(state);
}

static void lose_often(void *unused)
{
    (void)unused;
    loser.l = curlwp;
    while (!stop) {
        if (!loser.counts)
            begin_to_count();
        thread_yield();
    }
    (void)pmc_release_as(&losing, curlwp, counter);
}

/* One taking, whether the thread is running just then or not. */
static int check_taking(unsigned round)
{
    uint64_t value;
    uint32_t generation;

    while (!loser.counts)
        thread_yield();
    for (unsigned i = 0; i < round % 7; i++)
        thread_yield();
    generation = pmc_generation(loser.l);
    SELFTEST_EQUAL(take(&mode, PMU_IF_FREE), EBUSY);
    SELFTEST_CHECK(refusal.holder == &losing && refusal.thread != 0);
    SELFTEST_EQUAL(pmc_generation(loser.l), generation);
    SELFTEST_EQUAL(take(&mode, PMU_BY_FORCE), 0);
    SELFTEST_EQUAL(take(&whole, PMU_BY_FORCE), EBUSY);
    SELFTEST_CHECK(refusal.holder == &mode);
    SELFTEST_EQUAL(pmc_generation(loser.l), generation + 1);
    while (loser.losses <= round) /* if it did not run, it is told when it does */
        thread_yield();
    for (unsigned i = 0; i < 5; i++)
        thread_yield();
    SELFTEST_EQUAL(loser.error, 0);
    SELFTEST_EQUAL(loser.counted, loser.truth);
    SELFTEST_EQUAL(pmc_get_counter_value(loser.l, counter, 0, &value), 0);
    SELFTEST_EQUAL(value, loser.truth); /* and it stays so */
    SELFTEST_EQUAL(pmc_enable_as(&losing, loser.l, 1u << counter, true), EBUSY);
    SELFTEST_EQUAL(pmc_give(&mode, counter), 0);
    SELFTEST_EQUAL(pmc_enable_as(&losing, loser.l, 1u << counter, true), ENXIO);
    loser.counts = false;
    return 0;
}

SELFTEST_COUNTERS(pmu_takeover, "pmu-takeover",
                  "a counter is taken by force: its thread has counted to the very event")
{
    struct thread *thread;
    uint32_t before;
    int result = 0;

    SELFTEST_EQUAL(find(), 0);
    before = pmc_generation(NULL);
    stop = false;
    loser = (struct loser){.error = 0};
    SELFTEST_EQUAL(thread_create("loser", THREAD_PRIORITY_NORMAL, lose_often, NULL, &thread), 0);
    for (unsigned round = 0; round < ROUNDS && result == 0; round++)
        result = check_taking(round);
    stop = true;
    thread_join(thread);
    if (result != 0) {
        (void)pmc_give(&mode, counter);
        return result;
    }
    SELFTEST_EQUAL(loser.losses, ROUNDS);
    SELFTEST_EQUAL(pmc_generation(NULL), before + ROUNDS);
    SELFTEST_EQUAL(take(&whole, PMU_IF_FREE), 0); /* its end has given it back */
    SELFTEST_EQUAL(pmc_give(&whole, counter), 0);
    return 0;
}

/* --- idle users --- */

static volatile bool asleep;

static void count_and_sleep(void *unused)
{
    struct pmc_counter_cfg cfg = {SWITCHES, 0, 0};

    (void)unused;
    if (pmc_configure_counter(curlwp, counter, &cfg) != 0 ||
        pmc_enable_counter(curlwp, counter) != 0)
        loser.error = 1;
    asleep = true;
    while (!stop)
        thread_sleep(10000000);
    (void)pmc_get_counter_value(curlwp, counter, 0, &loser.counted);
}

SELFTEST_COUNTERS(pmu_idle_users, "pmu-idle-users",
                  "threads that do not run give way, those that run do not")
{
    struct pmc_counter_cfg cfg = {SWITCHES, 0, 0};
    struct thread *thread;
    uint64_t value, later;

    SELFTEST_EQUAL(find(), 0);
    SELFTEST_EQUAL(pmc_configure_counter(curlwp, counter, &cfg), 0);
    SELFTEST_EQUAL(pmc_enable_counter(curlwp, counter), 0);
    SELFTEST_EQUAL(take(&whole, PMU_IF_IDLE), EBUSY); /* the caller runs */
    SELFTEST_CHECK(refusal.holder == &pmu_owner_thread);
    SELFTEST_EQUAL(pmc_release_counter(curlwp, counter), 0);
    stop = asleep = false;
    loser = (struct loser){.error = 0};
    SELFTEST_EQUAL(thread_create("sleeper", THREAD_PRIORITY_NORMAL, count_and_sleep, NULL, &thread),
                   0);
    while (!asleep)
        thread_yield();
    while (take(&whole, PMU_IF_IDLE) != 0) /* in its sleep */
        thread_yield();
    SELFTEST_EQUAL(pmc_generation(&thread->lwp), 2);
    SELFTEST_EQUAL(pmc_get_counter_value(&thread->lwp, counter, 0, &value), 0);
    stop = true;
    thread_join(thread);
    later = loser.counted;
    SELFTEST_EQUAL(pmc_give(&whole, counter), 0);
    SELFTEST_EQUAL(loser.error, 0);
    SELFTEST_CHECK(value >= 1);
    SELFTEST_EQUAL(later, value);
    return 0;
}

/* --- what a command does to others --- */

SELFTEST_MEMBER(takeover_now, "takeover-now",
                "takes the first counter from whoever has it, for a moment", true, false, false)
{
    const struct pmu_class *class;
    struct pmc_counter_cfg cfg = {.flags = 0};
    unsigned e = 0;

    late_start();
    class = pmu_class_at(0, NULL);
    SELFTEST_CHECK(class != NULL);
    while (!class->events[e].supported || !(class->events[e].counters & 1))
        e++;
    cfg.event_id = class->events[e].code;
    SELFTEST_EQUAL(pmc_take(&mode, 1, &cfg, PMU_BY_FORCE, &refusal), 0);
    SELFTEST_EQUAL(pmc_give(&mode, 0), 0);
    return 0;
}
