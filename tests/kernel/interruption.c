/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of interruptions of threads: before a sleep, during it, and together with a wake-up or a
 * deadline. What each sleep ought to return is worked out by hand; who does several of these things
 * at once is interruption_crowd.c.
 */
#include "tests/kernel/selftest.h"
#include "kernel/cpu/preempt.h"
#include "kernel/thread/condvar.h"
#include "kernel/thread/thread.h"
#include "kernel/thread/wait.h"
#include "kernel/time/clock.h"
#include "lib/errno.h"
#include "tests/kernel/until.h"

static struct wait_queue queue = WAIT_QUEUE_INITIALIZER(queue);
static struct spinlock lock = SPINLOCK_INITIALIZER("interruption test");

/* One sleep of the caller: its result. */
static int interruption_sleep_once(bool interruptible, uint64_t deadline)
{
    uintptr_t state = spinlock_acquire(&lock);
    int result = interruptible ? wait_interruptible(&queue, &lock, &state, deadline)
                               : wait_sleep(&queue, &lock, &state, deadline);

    spinlock_release(&lock, state);
    return result;
}

SELFTEST(interruption_before, "interruption-before",
         "what is pending when an interruptible sleep begins ends it, until it is taken")
{
    SELFTEST_CHECK(!thread_interrupted() && !thread_interruption_take());
    thread_interrupt(thread_current());
    for (unsigned i = 0; i < 3; i++) {
        SELFTEST_CHECK(thread_interrupted());
        SELFTEST_EQUAL(interruption_sleep_once(true, clock_now() + 1000000000), -EINTR);
        SELFTEST_EQUAL(thread_sleep(1000000000), -EINTR);
        SELFTEST_EQUAL(interruption_sleep_once(false, clock_now() + 50000), -ETIMEDOUT);
    }
    thread_interrupt(thread_current()); /* twice is once */
    SELFTEST_CHECK(thread_interruption_take());
    SELFTEST_CHECK(!thread_interrupted() && !thread_interruption_take());
    SELFTEST_EQUAL(interruption_sleep_once(true, clock_now() + 50000), -ETIMEDOUT);
    SELFTEST_EQUAL(thread_sleep(50000), 0);
    return 0;
}

/* What a sleeper saw: the result of its sleep, whether an interruption was pending then, and the
 * result of a second sleep, which nothing but a pending interruption ends before its time. */
struct sleeper {
    bool interruptible;
    int first, second;
    bool pending;
    struct thread *thread;
};

static void sleep_twice(void *argument)
{
    struct sleeper *sleeper = argument;

    sleeper->first = interruption_sleep_once(sleeper->interruptible, until_deadline());
    sleeper->pending = thread_interrupted();
    sleeper->second = interruption_sleep_once(true, clock_now() + 100000);
}

/* More urgent than the test, on its CPU: it sleeps when this returns. */
static int interruption_start(struct sleeper *sleeper, bool interruptible)
{
    *sleeper = (struct sleeper){.interruptible = interruptible, .first = 1, .second = 1};
    return thread_create("sleeper", THREAD_PRIORITY_HIGH, sleep_twice, sleeper, &sleeper->thread);
}

SELFTEST_ONE_CPU(interruption_during, "interruption-during",
                 "an interruption ends an interruptible sleep, and is pending after any other")
{
    struct sleeper open, closed;

    SELFTEST_EQUAL(interruption_start(&open, true), 0);
    SELFTEST_EQUAL(interruption_start(&closed, false), 0);
    thread_interrupt(open.thread);
    thread_interrupt(closed.thread);
    SELFTEST_EQUAL(closed.first, 1); /* sleeps on */
    SELFTEST_CHECK(wait_wake_one(&queue));
    thread_join(open.thread);
    thread_join(closed.thread);
    SELFTEST_EQUAL(open.first, -EINTR);
    SELFTEST_CHECK(open.pending);
    SELFTEST_EQUAL(open.second, -EINTR);
    SELFTEST_EQUAL(closed.first, 0);
    SELFTEST_CHECK(closed.pending);
    SELFTEST_EQUAL(closed.second, -EINTR);
    SELFTEST_CHECK(!wait_wake_one(&queue));
    return 0;
}

SELFTEST_ONE_CPU(interruption_together, "interruption-together",
                 "of a wake-up and an interruption the first one ends the sleep; neither is lost")
{
    struct sleeper a, b, c;

    SELFTEST_EQUAL(interruption_start(&a, true), 0);
    SELFTEST_EQUAL(interruption_start(&b, true), 0);
    SELFTEST_EQUAL(interruption_start(&c, true), 0);
    preempt_disable(); /* nobody sees the one before the other is there */
    wait_wake_one(&queue);
    thread_interrupt(a.thread); /* too late for its first sleep */
    thread_interrupt(b.thread);
    wait_wake_one(&queue); /* not for B */
    preempt_enable();
    thread_join(a.thread);
    thread_join(b.thread);
    thread_join(c.thread);
    SELFTEST_EQUAL(a.first, 0);
    SELFTEST_CHECK(a.pending);
    SELFTEST_EQUAL(a.second, -EINTR);
    SELFTEST_EQUAL(b.first, -EINTR);
    SELFTEST_EQUAL(c.first, 0);
    SELFTEST_CHECK(!c.pending);
    SELFTEST_EQUAL(c.second, -ETIMEDOUT);
    return 0;
}

static kmutex_t mutex;
static kcondvar_t condition;
static int waited;

static void wait_for_condition(void *unused)
{
    (void)unused;
    mutex_enter(&mutex); /* the test has it: no part of this sleep can be interrupted */
    waited = cv_wait_sig(&condition, &mutex);
    mutex_exit(&mutex);
}

SELFTEST_ONE_CPU(interruption_mutex, "interruption-mutex",
                 "who waits for a mutex gets it, interrupted or not, and is told in cv_wait_sig")
{
    struct thread *thread;

    mutex_init(&mutex, "interruption test");
    cv_init(&condition, "interruption test");
    waited = 1;
    mutex_enter(&mutex);
    SELFTEST_EQUAL(thread_create("waiter", THREAD_PRIORITY_HIGH, wait_for_condition, NULL, &thread),
                   0);
    thread_interrupt(thread);
    SELFTEST_CHECK(mutex_owned(&mutex));
    SELFTEST_EQUAL(waited, 1);
    mutex_exit(&mutex);
    thread_join(thread);
    SELFTEST_EQUAL(waited, -EINTR);
    cv_destroy(&condition);
    mutex_destroy(&mutex);
    return 0;
}
