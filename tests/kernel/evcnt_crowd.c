/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests that counting is exact with all CPUs at it: threads on each of them, a storm of timer
 * interrupts on each of them and cross calls to all of them raise the same counters, and everyone
 * keeps an account that nobody else writes. The planted word shows that the crowd would find a
 * loss.
 */
#include "tests/kernel/evcnt_crowd.h"
#include <sys/evcnt.h>
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cross_call.h"
#include "kernel/memory/kmem.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "lib/string.h"
#include "tests/kernel/storm.h"
#include "tests/kernel/until.h"

#define PER_CPU  4
#define MOST     (PER_CPU * CPU_MAX)
#define BATCH    1000u
#define STRIKES  50 /* at least so many for each CPU */
#define EVERYDAY 100000u

static struct evcnt static_ev = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "selftest", "crowd");
static struct evcnt *dynamic_ev;
static volatile uint64_t plain; /* the planted word */

/* The accounts: of each CPU's interrupts, written with its interrupts off, and of each thread. */
static volatile uint64_t by_timer[CPU_MAX], by_call[CPU_MAX];
static uint64_t by_thread[MOST];
static unsigned moves;

static struct storm storms[CPU_MAX];
static const struct crowd_plan *plan;
static struct thread *threads[MOST];
static unsigned thread_count;
static volatile bool over;
static volatile unsigned went_back;

/* What a compiler without better knowledge makes of `plain++`: three instructions. */
static inline __attribute__((always_inline)) void raise_plainly(void)
{
    uint64_t value = plain;

    __asm__ volatile("" : "+r"(value));
    value++;
    __asm__ volatile("" : "+r"(value));
    plain = value;
}

static void raise_once(void)
{
    if (plan->planted) {
        raise_plainly();
    } else {
        evcnt_incr(&static_ev); /* the parent first */
        evcnt_incr(dynamic_ev);
    }
}

static void evcnt_crowd_strike(void)
{
    unsigned cpu = cpu_here.id;

    raise_once();
    by_timer[cpu] = by_timer[cpu] + 1;
}

static void evcnt_crowd_called(void *unused)
{
    unsigned cpu = cpu_here.id;

    (void)unused;
    raise_once();
    by_call[cpu] = by_call[cpu] + 1;
}

static void evcnt_crowd_begin_storm(void *unused)
{
    (void)unused;
    storm_begin(&storms[cpu_here.id], evcnt_crowd_strike);
}

static bool struck_enough(void)
{
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        if (by_timer[cpu] < STRIKES || by_call[cpu] < 3)
            return false;
    return true;
}

static __attribute__((noinline)) void evcnt_crowd_raise_batch(void)
{
    struct evcnt *ev = dynamic_ev;

    for (unsigned i = 0; i < BATCH; i++) {
        evcnt_incr(&static_ev);
        evcnt_incr(ev);
    }
}

static __attribute__((noinline)) void evcnt_crowd_raise_plain_batch(void)
{
    for (unsigned i = 0; i < BATCH; i++)
        raise_plainly();
}

/* A thread of the crowd; the argument is its account. */
static void evcnt_crowd_raise_on(void *argument)
{
    uint64_t *account = argument, end = until_deadline();

    if (!plan->seed)
        thread_set_affinity(thread_current(), 1u << (account - by_thread) % cpu_count());
    for (uint64_t done = 0; done < plan->times || (!struck_enough() && clock_now() < end);
         done += BATCH) {
        if (plan->planted)
            evcnt_crowd_raise_plain_batch();
        else
            evcnt_crowd_raise_batch();
        *account += BATCH;
    }
}

static void call_on(void *unused)
{
    (void)unused;
    while (!over) {
        cross_call_all(evcnt_crowd_called, NULL);
        thread_yield();
    }
}

static void evcnt_crowd_read_on(void *unused)
{
    uint64_t whole = 0, part = 0;

    (void)unused;
    while (!over) {
        uint64_t part_now = evcnt_value(dynamic_ev), whole_now = evcnt_value(&static_ev);

        if (part_now < part || whole_now < whole || part_now > whole_now)
            went_back++;
        part = part_now;
        whole = whole_now;
    }
}

static void move_on(void *unused)
{
    uint32_t random = plan->seed, all = (uint32_t)((1ull << cpu_count()) - 1);

    (void)unused;
    while (!over) {
        random = random * 1103515245 + 12345;
        uint32_t set = random >> 12 & all;

        thread_set_affinity(threads[(random >> 4) % thread_count], set ? set : all);
        moves++;
        thread_sleep(200000);
    }
}

static bool start_crowd(void)
{
    unsigned wanted = PER_CPU * cpu_count();

    for (thread_count = 0; thread_count < wanted; thread_count++) {
        if (thread_create("crowd", THREAD_PRIORITY_NORMAL, evcnt_crowd_raise_on,
                          &by_thread[thread_count], &threads[thread_count]) != 0)
            return false;
    }
    return true;
}

/* Everything together, to its end; false if there was no memory for it. */
static bool run_crowd(void)
{
    void (*const beside[])(void *) = {call_on, evcnt_crowd_read_on, plan->seed ? move_on : NULL};
    struct thread *others[3];
    unsigned count = 0;
    bool complete;

    over = false;
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        cross_call_one(cpu, evcnt_crowd_begin_storm, NULL);
    complete = start_crowd();
    for (unsigned i = 0; i < 3 && complete && beside[i]; i++) {
        complete =
            thread_create("beside", THREAD_PRIORITY_NORMAL, beside[i], NULL, &others[count]) == 0;
        count += complete;
    }
    for (unsigned i = 0; i < thread_count && complete && !plan->seed; i++)
        thread_join(threads[i]);
    if (complete &&
        plan->seed) /* the mover may move those that have ended, not those that are gone */
        for (unsigned i = 0; i < thread_count; i++)
            while (*(volatile uint8_t *)&threads[i]->state != THREAD_DEAD)
                thread_sleep(1000000);
    over = true;
    while (count > 0)
        thread_join(others[--count]);
    for (unsigned i = 0; i < thread_count && (!complete || plan->seed); i++)
        thread_join(threads[i]);
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        storm_end(&storms[cpu]);
    return complete;
}

/* What each CPU counted while its threads stayed on it. */
static int compare_shares(const uint64_t *before)
{
    for (unsigned cpu = 0; cpu < cpu_count() && cpu_count() > 1; cpu++) {
        uint64_t ought = by_timer[cpu] + by_call[cpu];

        for (unsigned i = cpu; i < thread_count; i += cpu_count())
            ought += by_thread[i];
        SELFTEST_EQUAL(evcnt_cpu_value(&static_ev, cpu) - before[cpu], ought);
        SELFTEST_EQUAL(evcnt_cpu_value(dynamic_ev, cpu), ought);
    }
    return 0;
}

static void add_accounts(struct crowd_result *result)
{
    memset(result, 0, sizeof *result);
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        result->strikes += (unsigned)by_timer[cpu];
        result->calls += (unsigned)by_call[cpu];
    }
    result->raised = result->strikes + result->calls;
    for (unsigned i = 0; i < thread_count; i++)
        result->raised += by_thread[i];
    result->moves = moves;
}

static int compare(uint64_t before, const uint64_t *shares, struct crowd_result *result)
{
    result->counted = evcnt_value(&static_ev) - before;
    if (evcnt_value(dynamic_ev) < result->counted)
        result->counted = evcnt_value(dynamic_ev);
    SELFTEST_EQUAL(evcnt_value(&static_ev) - before, result->raised);
    SELFTEST_EQUAL(evcnt_value(dynamic_ev), result->raised);
    SELFTEST_EQUAL(static_ev.ev_count, 0);
    SELFTEST_EQUAL(went_back, 0);
    return plan->seed ? 0 : compare_shares(shares);
}

static int run_attached(struct crowd_result *result)
{
    uint64_t before = evcnt_value(&static_ev), shares[CPU_MAX];
    int lists = 0;
    bool complete;

    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        shares[cpu] = evcnt_cpu_value(&static_ev, cpu);
    if (plan->listed && evcnt_lists_begin(&static_ev, dynamic_ev) != 0)
        return 1;
    complete = run_crowd();
    if (plan->listed)
        lists = evcnt_lists_end();
    if (lists < 0)
        return 1;
    SELFTEST_CHECK(complete);
    add_accounts(result);
    result->lists = (unsigned)lists;
    SELFTEST_CHECK(struck_enough());
    if (plan->planted) {
        result->counted = plain;
        return 0;
    }
    return compare(before, shares, result);
}

int evcnt_crowd(const struct crowd_plan *what, struct crowd_result *result)
{
    int failed;

    plan = what;
    plain = 0;
    moves = went_back = 0;
    memset((void *)by_timer, 0, sizeof by_timer);
    memset((void *)by_call, 0, sizeof by_call);
    memset(by_thread, 0, sizeof by_thread);
    dynamic_ev = kmem_alloc(sizeof *dynamic_ev);
    SELFTEST_CHECK(dynamic_ev != NULL);
    evcnt_attach_static(&static_ev);
    evcnt_attach_dynamic(dynamic_ev, EVCNT_TYPE_MISC, &static_ev, "selftest", "crowd, a part");
    failed = run_attached(result);
    evcnt_detach(dynamic_ev);
    evcnt_detach(&static_ev);
    kmem_free(dynamic_ev);
    return failed;
}

static int run_and_note(const struct crowd_plan *what)
{
    struct crowd_result r;
    int failed = evcnt_crowd(what, &r);

    return failed ? failed
                  : selftest_note("%lu raised, %u by timers, %u by calls, %u lists",
                                  (unsigned long)r.raised, r.strikes, r.calls, r.lists);
}

SELFTEST(evcnt_crowd, "evcnt-crowd",
         "threads, timer interrupts and cross calls on all CPUs raise two counters, exactly")
{
    return run_and_note(&(struct crowd_plan){EVERYDAY, false, false, 0});
}

SELFTEST(evcnt_crowd_listed, "evcnt-listed", "the same while others attach, detach, read and list")
{
    return run_and_note(&(struct crowd_plan){EVERYDAY, true, false, 0});
}

SELFTEST_ONLY_NAMED(full_crowd, "full-crowd", "evcnt-crowd with 10,000,000 by each thread")
{
    return run_and_note(&(struct crowd_plan){10000000, false, false, 0});
}

SELFTEST_ONLY_NAMED(full_listed, "full-listed", "evcnt-listed with 10,000,000 by each thread")
{
    return run_and_note(&(struct crowd_plan){10000000, true, false, 0});
}

SELFTEST_ONLY_NAMED(planted_crowd, "planted-crowd",
                    "a plain load, add and store in the same crowd loses counts")
{
    uint64_t end = until_deadline();
    struct crowd_result r;

    do { /* a host may run the CPUs one after the other for a while, and then nothing is lost */
        int failed = evcnt_crowd(&(struct crowd_plan){EVERYDAY, false, true, 0}, &r);

        if (failed)
            return failed;
    } while (r.counted >= r.raised && clock_now() < end);
    if (r.counted >= r.raised)
        return selftest_fail("lost 0 of %lu", (unsigned long)r.raised);
    return selftest_note("lost %lu of %lu", (unsigned long)(r.raised - r.counted),
                         (unsigned long)r.raised);
}
