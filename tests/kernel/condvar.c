/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of condition variables: no signal is lost, deadlines are kept, a broadcast reaches all. */
#include "kernel/thread/condvar.h"
#include "kernel/time/clock.h"
#include "tests/kernel/selftest.h"
#include "lib/errno.h"
#include "tests/kernel/crowd.h"
#include "tests/kernel/until.h"

#define ROUNDS   500
#define SLEEPERS 5
#define ITEMS    400
#define ROOM     3

static kmutex_t mutex;
static kcondvar_t condition, other_condition;

static void begin(void)
{
    mutex_init(&mutex, "condvar test");
    cv_init(&condition, "condition");
    cv_init(&other_condition, "other condition");
}

static void condvar_end(void)
{
    cv_destroy(&other_condition);
    cv_destroy(&condition);
    mutex_destroy(&mutex);
}

static unsigned players, turns; /* under mutex */

static void condvar_play(void *unused)
{
    unsigned self;

    (void)unused;
    mutex_enter(&mutex);
    self = players++;
    for (unsigned i = 0; i < ROUNDS; i++) {
        while (turns % 2 != self)
            cv_wait(&condition, &mutex);
        turns++;
        cv_signal(&condition);
    }
    mutex_exit(&mutex);
}

SELFTEST(cv_turns, "cv-turns", "two threads in turns, 500 each: 1,000, and no signal is lost")
{
    begin();
    players = turns = 0;
    if (crowd_run(2, condvar_play, NULL) != 0)
        return 1;
    condvar_end();
    SELFTEST_EQUAL(turns, 1000);
    return 0;
}

SELFTEST(cv_deadline, "cv-deadline",
         "cv_timedwait ends with -ETIMEDOUT, not before its time, with the mutex")
{
    begin();
    mutex_enter(&mutex);
    for (uint64_t ns = 0; ns < 4000000; ns = ns * 3 + 777) {
        uint64_t deadline = clock_now() + ns;

        SELFTEST_EQUAL(cv_timedwait(&condition, &mutex, deadline), -ETIMEDOUT);
        SELFTEST_CHECK(clock_now() >= deadline);
        SELFTEST_CHECK(mutex_owned(&mutex) && !cv_has_waiters(&condition));
    }
    mutex_exit(&mutex);
    condvar_end();
    return 0;
}

static unsigned asleep, awake; /* under mutex */
static bool go;

static void sleep_until_go(void *unused)
{
    (void)unused;
    mutex_enter(&mutex);
    asleep++;
    cv_signal(&other_condition);
    while (!go)
        cv_wait(&condition, &mutex);
    awake++;
    mutex_exit(&mutex);
}

static void wake_when_asleep(void *unused)
{
    (void)unused;
    mutex_enter(&mutex);
    while (asleep < SLEEPERS)
        cv_wait(&other_condition, &mutex);
    go = true;
    cv_broadcast(&condition);
    mutex_exit(&mutex);
}

/* The first of the crowd to come wakes, the others sleep. */
static void sleep_or_wake(void *unused)
{
    bool first;

    mutex_enter(&mutex);
    first = players++ == 0;
    mutex_exit(&mutex);
    if (first)
        wake_when_asleep(unused);
    else
        sleep_until_go(unused);
}

SELFTEST(cv_broadcast, "cv-broadcast", "one broadcast wakes five sleepers")
{
    begin();
    players = asleep = awake = 0;
    go = false;
    if (crowd_run(SLEEPERS + 1, sleep_or_wake, NULL) != 0)
        return 1;
    condvar_end();
    SELFTEST_EQUAL(awake, SLEEPERS);
    return 0;
}

static unsigned stored, produced, consumed, most; /* under mutex */

static void produce(void)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        mutex_enter(&mutex);
        while (stored == ROOM)
            cv_wait(&condition, &mutex);
        stored++;
        produced++;
        most = stored > most ? stored : most;
        cv_signal(&other_condition);
        mutex_exit(&mutex);
    }
}

static void consume(void)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        mutex_enter(&mutex);
        while (stored == 0)
            cv_wait(&other_condition, &mutex);
        stored--;
        consumed++;
        cv_signal(&condition);
        mutex_exit(&mutex);
    }
}

static void trade(void *unused)
{
    unsigned self;

    (void)unused;
    mutex_enter(&mutex);
    self = players++;
    mutex_exit(&mutex);
    if (self % 2)
        produce();
    else
        consume();
}

SELFTEST(cv_buffer, "cv-buffer", "three producers and three consumers of 400 share room for three")
{
    begin();
    players = stored = produced = consumed = most = 0;
    if (crowd_run(6, trade, NULL) != 0)
        return 1;
    condvar_end();
    SELFTEST_EQUAL(produced, 1200);
    SELFTEST_EQUAL(consumed, 1200);
    SELFTEST_EQUAL(stored, 0);
    SELFTEST_CHECK(most >= 1 && most <= ROOM);
    return 0;
}

static volatile unsigned ended;
static int result;

static void wait_for_interruption(void *unused)
{
    (void)unused;
    mutex_enter(&mutex);
    result = cv_wait_sig(&condition, &mutex);
    mutex_exit(&mutex);
    ended = 1;
}

SELFTEST(cv_interrupted, "cv-interrupted", "cv_wait_sig ends with -EINTR when it is interrupted")
{
    uint64_t last = until_deadline();
    struct thread *thread;

    begin();
    ended = 0;
    result = 0;
    SELFTEST_EQUAL(
        thread_create("sleeper", THREAD_PRIORITY_NORMAL, wait_for_interruption, NULL, &thread), 0);
    while (!ended && clock_now() < last) {
        thread_interrupt(thread);
        thread_sleep(100000);
    }
    cv_broadcast(&condition);
    thread_join(thread);
    condvar_end();
    SELFTEST_EQUAL(result, -EINTR);
    return 0;
}

SELFTEST_ONLY_NAMED(cv_destroyed, "cv-destroyed", "panics: a condition destroyed under a sleeper")
{
    struct thread *thread;
    uint64_t last = until_deadline();

    begin();
    asleep = 0;
    go = false;
    SELFTEST_EQUAL(thread_create("sleeper", THREAD_PRIORITY_NORMAL, sleep_until_go, NULL, &thread),
                   0);
    while (!cv_has_waiters(&condition) && clock_now() < last)
        thread_sleep(100000);
    cv_destroy(&condition);
    return selftest_fail("nobody noticed");
}

SELFTEST_ONLY_NAMED(cv_not_owned, "cv-not-owned", "panics: a wait with a mutex that is not owned")
{
    begin();
    cv_wait(&condition, &mutex);
    return selftest_fail("nobody noticed");
}
