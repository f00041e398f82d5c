/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading a set of events while its thread works, sleeps or runs on: each value lies between what
 * the thread's own books say before and after.
 */
#include <arch/interrupt_flag.h>
#include <sys/pmc.h>
#include "kernel/cpu/cpu.h"
#include "kernel/device/late.h"
#include "kernel/pmc/pmc_thread.h"
#include "kernel/pmc/pmu_set.h"
#include "kernel/thread/thread.h"
#include "kernel/thread/thread_time.h"
#include "kernel/time/clock.h"
#include "tests/kernel/pmu_code.h"
#include "tests/kernel/selftest.h"

#define ROUNDS 12u  /* that are looked at */
#define FREELY 48u  /* while which it runs on */
#define ASLEEP 400u /* while which it sleeps as often */
#define TURNS  20000ull
#define PER    (CODE_LOOP_TURN * TURNS + CODE_LOOP_MORE + CODE_USER_STUB)

enum { SWITCHES, CLOCK, MIGRATIONS, INSTRUCTIONS, AGAIN }; /* as they are asked for */

/* What the worker's books say. */
struct books {
    uint64_t time, switches, migrations, rounds;
    int64_t user; /* negative: it is there at the moment */
};

static struct worker {
    struct pmu_event_request requests[PMU_EVENTS_MAX];
    unsigned count; /* of them */
    unsigned rounds;
    struct pmu_plan plan;
    struct pmu_set *set;
    struct thread *thread;
    struct books begun[2]; /* no later than the set, no earlier than it */
    uint64_t born;         /* ns */
    volatile uint64_t rounds_begun, rounds_over, asked;
    volatile int error;
    volatile bool ready, alone, seen;
    bool sleeps; /* after each round; else it is on another CPU for each */
} worker;
static struct pmu_set_values values;
static struct pmc_thread_values one;
static const char *reason;

static struct books pmu_set_read_books(uint64_t rounds)
{
    struct thread *thread = worker.thread;
    uintptr_t state = interrupts_save();
    struct thread_time time;
    struct books books;

    thread_time_get(thread, &time);
    books = (struct books){.time = time.all, .rounds = rounds};
    books.user = *(const volatile int64_t *)(const volatile void *)&thread->user_cycles;
    books.switches = *(const volatile uint64_t *)&thread->switches;
    books.migrations = *(const volatile uint64_t *)&thread->migrations;
    interrupts_restore(state);
    return books;
}

static bool pmu_set_read_between(const char *what, uint64_t value, uint64_t low, uint64_t high)
{
    if (value >= low && value <= high)
        return true;
    (void)selftest_fail("%s %lu, not %lu to %lu after %lu rounds", what, (unsigned long)value,
                        (unsigned long)low, (unsigned long)high, (unsigned long)worker.rounds_over);
    reason = what;
    return false;
}

/* UNKNOWN while it is in user mode. Nothing of it was before the set began. */
static uint64_t pmu_set_read_user_ns(const struct books *books, uint64_t unknown)
{
    return books->user < 0 ? unknown
                           : clock_cycles_to_ns((uint64_t)(books->user - worker.begun[1].user));
}

/* The set's values, and the worker's share of it, which is all, from books before and after. */
static bool pmu_set_read_are_right(const struct books *before, const struct books *after)
{
    const struct books *from = worker.begun;
    uint64_t least = clock_cycles_to_ns(before->time - from[1].time);
    uint64_t most = clock_cycles_to_ns(after->time - from[0].time);

#define BETWEEN(what, value, member)                                                               \
    pmu_set_read_between(what, value, before->member - from[1].member,                             \
                         after->member - from[0].member)
    if (!pmu_set_read_between("ns", values.event[CLOCK].count, least, most) ||
        !pmu_set_read_between("ns of its parts", values.user_ns + values.system_ns,
                              least ? least - 1 : 0, most) ||
        !pmu_set_read_between("user ns", values.user_ns, pmu_set_read_user_ns(before, 0),
                              pmu_set_read_user_ns(after, UINT64_MAX)) ||
        !BETWEEN("migrations", values.event[MIGRATIONS].count, migrations) ||
        !BETWEEN("switches", values.event[SWITCHES].count, switches))
        return false;
    for (unsigned e = 0; e < worker.count; e++)
        if (values.event[e].enabled_ns != values.event[CLOCK].count ||
            values.event[e].ran_ns != values.event[CLOCK].count)
            return pmu_set_read_between("ns ran", values.event[e].ran_ns, 1, 0);
    if (worker.count > INSTRUCTIONS &&
        !pmu_set_read_between("instructions", values.event[INSTRUCTIONS].count,
                              before->rounds * PER, after->rounds * PER))
        return false;
    /* Both of one instant. */
    return worker.count <= AGAIN ||
           pmu_set_read_between("instructions once more", values.event[AGAIN].count,
                                values.event[INSTRUCTIONS].count, values.event[INSTRUCTIONS].count);
#undef BETWEEN
}

/* Reads the set, and the worker's share. */
static bool pmu_set_read_look(void)
{
    struct books before = pmu_set_read_books(worker.rounds_over), after;
    uint64_t asked = clock_now(), told = pmu_set_read(worker.set, &values);

    after = pmu_set_read_books(worker.rounds_begun);
    if (worker.sleeps)
        before = worker.begun[1]; /* as of its last fold, see pmu_set_read */
    return pmu_set_read_between("time", told, asked, clock_now()) &&
           pmu_set_read_are_right(&before, &after);
}

/* The same of the worker's share, told as a set's values. */
static bool pmu_set_read_look_at_share(void)
{
    struct books before = pmu_set_read_books(worker.rounds_over), after;
    struct pmc_thread_entry list[2] = {{0}};

    if (pmc_thread_list(list, 2) != 1 || list[0].id != worker.thread->id)
        return pmu_set_read_between("threads that count", pmc_thread_list(list, 2), 1, 1);
    if (pmc_thread_read(&list[0], &one) != 0 || one.set.count != worker.count || !one.set.first)
        return pmu_set_read_between("events of the share", one.set.count, 1, 0);
    after = pmu_set_read_books(worker.rounds_begun);
    if (worker.sleeps)
        before = worker.begun[1];
    if (!pmu_set_read_between("oldest", list[0].oldest, worker.born, clock_now()))
        return false;
    for (unsigned e = 0; e < worker.count; e++) {
        values.event[e].count = one.set.event[e].count;
        values.event[e].ran_ns = one.set.event[e].ran_ns;
        values.event[e].enabled_ns = one.set.enabled_ns;
    }
    values.user_ns = pmu_set_read_user_ns(&before, 0);
    values.system_ns = one.set.enabled_ns - values.user_ns;
    return pmu_set_read_are_right(&before, &after);
}

static void pmu_set_read_work(unsigned round)
{
    worker.rounds_begun++;
    if (!pmu_code_user(USER_MODE_USER, TURNS))
        worker.error = -1;
    worker.rounds_over++;
    if (worker.sleeps)
        (void)thread_sleep(100000);
    else if (cpu_count() > 1)
        (void)thread_set_affinity(worker.thread, 1u << round % cpu_count());
}

/* Each round is looked at by the worker itself, or awaits the other's look. */
static void pmu_set_read_worker(void *unused)
{
    struct pmu_refusal refusal;
    unsigned bad;

    (void)unused;
    worker.thread = thread_current();
    if (worker.sleeps && cpu_count() > 1)
        (void)thread_set_affinity(worker.thread, 2);
    worker.born = clock_now();
    worker.begun[0] = pmu_set_read_books(0);
    worker.error =
        pmu_set_start(&worker.set, worker.requests, worker.count, &worker.plan, &bad, &refusal);
    worker.begun[1] = pmu_set_read_books(0);
    worker.ready = true;
    for (unsigned round = 0; worker.error == 0 && round < worker.rounds; round++) {
        pmu_set_read_work(round);
        if (worker.alone && !(pmu_set_read_look() && pmu_set_read_look_at_share()))
            worker.error = -1;
        while (!worker.alone && worker.asked < worker.rounds_over)
            thread_yield();
    }
    while (worker.error == 0 && !worker.alone && !worker.seen)
        thread_yield();
    if (worker.set)
        pmu_set_stop(worker.set);
}

static bool pmu_set_read_prepare(const char *events)
{
    struct pmu_event_error error;
    int number = pmu_event_list(events, worker.requests, PMU_EVENTS_MAX, &error);

    worker.count = number > 0 ? (unsigned)number : 0;
    return number > 0 && (number <= INSTRUCTIONS || worker.requests[INSTRUCTIONS].choice_count) &&
           pmu_plan_make(&worker.plan, worker.requests, worker.count, pmu_set_free_counters()) <
               0 &&
           worker.plan.slices == 1;
}

/* Others look after each round (STRICTLY), or all the time. */
static bool pmu_set_read_by_others(bool strictly)
{
    bool right = true;

    while (!worker.ready)
        thread_yield();
    while (right && worker.error == 0 && worker.rounds_over < worker.rounds) {
        uint64_t over = worker.rounds_over;

        if (!strictly || over > worker.asked)
            right = pmu_set_read_look() && pmu_set_read_look_at_share();
        worker.asked = strictly ? over : worker.rounds;
        thread_yield();
    }
    worker.asked = worker.rounds;
    worker.seen = true;
    return right;
}

static int pmu_set_read_run(bool alone, bool strictly)
{
    struct thread *thread;
    bool right;

    worker.set = NULL;
    worker.ready = worker.seen = false;
    worker.alone = alone;
    worker.rounds = alone || strictly ? ROUNDS : worker.sleeps ? ASLEEP : FREELY;
    worker.rounds_begun = worker.rounds_over = worker.asked = 0;
    reason = NULL;
    SELFTEST_CHECK(pmu_code_user_prepare(&pmu_code_loop, 0) == 0);
    if (thread_create("counted", THREAD_PRIORITY_NORMAL, pmu_set_read_worker, NULL, &thread) != 0)
        return selftest_fail("no thread");
    right = alone || pmu_set_read_by_others(strictly);
    thread_join(thread);
    pmu_code_user_done();
    if (worker.set)
        pmu_set_free(worker.set);
    if (!right || reason)
        return 1; /* it has been said */
    SELFTEST_EQUAL(worker.error, 0);
    return 0;
}

static bool pmu_set_read_plan(void)
{
#define ALWAYS "context-switches,task-clock,cpu-migrations"
    late_start();
    return pmu_set_read_prepare(ALWAYS ",instructions:u,instructions:u") ||
           pmu_set_read_prepare(ALWAYS);
#undef ALWAYS
}

SELFTEST_COUNTERS(pmu_set_read, "pmu-set-read",
                  "a set read while its thread works or stands tells what the thread's books do")
{
    int failed;

    if (!pmu_set_read_plan())
        return selftest_fail("no plan");
    failed = pmu_set_read_run(true, false);
    if (failed == 0)
        failed = pmu_set_read_run(false, true);
    if (failed == 0)
        failed = pmu_set_read_run(false, false);
    return failed ? failed : selftest_note("%u events", worker.count);
}

SELFTEST_COUNTERS(pmu_set_asleep, "pmu-set-asleep",
                  "a set read while its thread falls asleep and begins to run on another CPU")
{
    struct thread *self = thread_current();
    uint32_t affinity = thread_affinity(self);
    int failed;

    if (!pmu_set_read_plan())
        return selftest_fail("no plan");
    (void)thread_set_affinity(self, 1);
    worker.sleeps = true;
    failed = pmu_set_read_run(false, false);
    worker.sleeps = false;
    (void)thread_set_affinity(self, affinity);
    return failed;
}
