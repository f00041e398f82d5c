/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of mutexes: exclusion across sleeps and CPUs, the count of waits, misuse. */
#include "kernel/thread/mutex.h"
#include <sys/evcnt.h>
#include "kernel/cpu/cpu.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/crowd.h"
#include "tests/kernel/until.h"

#define THREADS 4
#define ROUNDS  2000

static kmutex_t mutex;
static volatile uint64_t plain; /* under mutex */

/* Every 50th round gives the CPU away with the mutex taken. */
static void mutex_add_many(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint64_t was;

        mutex_enter(&mutex);
        was = plain;
        if (i % 50 == 0)
            thread_yield();
        plain = was + 1;
        mutex_exit(&mutex);
    }
}

static uint64_t all_waits(void)
{
    uint64_t sum = 0;

    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        sum += mutex_waits(cpu);
    return sum;
}

SELFTEST(mutex_exclusion, "mutex-exclusion", "4 threads add 2,000 each to a plain variable: 8,000")
{
    mutex_init(&mutex, "mutex test");
    plain = 0;
    if (crowd_run(THREADS, mutex_add_many, NULL) != 0)
        return 1;
    mutex_destroy(&mutex);
    SELFTEST_EQUAL(plain, 8000);
    return 0;
}

static void enter_and_leave(void *unused)
{
    (void)unused;
    mutex_enter(&mutex);
    mutex_exit(&mutex);
}

SELFTEST(mutex_waits, "mutex-waits", "a thread that finds a mutex taken is counted once")
{
    uint64_t before = all_waits();
    struct thread *thread;
    bool waited;

    mutex_init(&mutex, "mutex test");
    for (unsigned i = 0; i < 10; i++)
        enter_and_leave(NULL); /* nobody waits */
    mutex_enter(&mutex);
    SELFTEST_EQUAL(thread_create("waiter", THREAD_PRIORITY_HIGH, enter_and_leave, NULL, &thread),
                   0);
    waited = until_at_least(&mutex.waiting, 1);
    mutex_exit(&mutex);
    thread_join(thread);
    mutex_destroy(&mutex);
    SELFTEST_CHECK(waited);
    SELFTEST_EQUAL(all_waits() - before, 1);
    SELFTEST_EQUAL(evcnt_value(evcnt_lookup("sched", "mutex waits")), all_waits());
    return 0;
}

static void sleep_inside(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < 5; i++) {
        uint64_t was;

        mutex_enter(&mutex);
        was = plain;
        thread_sleep(200000);
        plain = was + 1;
        mutex_exit(&mutex);
    }
}

SELFTEST(mutex_sleep, "mutex-sleep", "4 threads that sleep with the mutex, 5 times each: 20")
{
    mutex_init(&mutex, "mutex test");
    plain = 0;
    if (crowd_run(THREADS, sleep_inside, NULL) != 0)
        return 1;
    mutex_destroy(&mutex);
    SELFTEST_EQUAL(plain, 20);
    return 0;
}

static void try_once(void *result)
{
    bool *entered = result;

    *entered = mutex_tryenter(&mutex) || mutex_owned(&mutex);
}

SELFTEST(mutex_try, "mutex-try", "mutex_tryenter enters a free mutex; mutex_owned means the caller")
{
    bool other = true;

    mutex_init(&mutex, "mutex test");
    SELFTEST_CHECK(!mutex_owned(&mutex));
    SELFTEST_CHECK(mutex_tryenter(&mutex));
    SELFTEST_CHECK(mutex_owned(&mutex));
    SELFTEST_CHECK(!mutex_tryenter(&mutex));
    if (crowd_run(1, try_once, &other) != 0)
        return 1;
    SELFTEST_CHECK(!other && mutex_owned(&mutex));
    mutex_exit(&mutex);
    SELFTEST_CHECK(!mutex_owned(&mutex));
    mutex_destroy(&mutex);
    return 0;
}

SELFTEST_ONLY_NAMED(mutex_twice, "mutex-twice", "panics: a mutex entered twice")
{
    mutex_init(&mutex, "twofold");
    mutex_enter(&mutex);
    mutex_enter(&mutex);
    return selftest_fail("nobody noticed");
}

static void mutex_leave(void *unused)
{
    (void)unused;
    mutex_exit(&mutex);
}

SELFTEST_ONLY_NAMED(mutex_foreign, "mutex-foreign", "panics: a mutex left by another thread")
{
    mutex_init(&mutex, "foreign");
    mutex_enter(&mutex);
    crowd_run(1, mutex_leave, NULL);
    return selftest_fail("nobody noticed");
}

SELFTEST_ONLY_NAMED(mutex_destroyed, "mutex-destroyed", "panics: a mutex destroyed by its owner")
{
    mutex_init(&mutex, "doomed");
    mutex_enter(&mutex);
    mutex_destroy(&mutex);
    return selftest_fail("nobody noticed");
}
