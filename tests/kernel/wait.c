/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of wait queues and sleep: order, deadlines, interruption, and that no wake-up is lost. */
#include "kernel/cpu/preempt.h"
#include "kernel/thread/wait.h"
#include "kernel/time/clock.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "tests/kernel/until.h"

#define SLEEPERS 5

static struct wait_queue queue = WAIT_QUEUE_INITIALIZER(queue);
static struct spinlock lock = SPINLOCK_INITIALIZER("wait test");
static char order[SLEEPERS + 1];
static unsigned order_length;
static struct thread *sleepers[SLEEPERS];

/* Sleeps once, then notes the letter. */
static void sleep_and_note(void *argument)
{
    uintptr_t state = spinlock_acquire(&lock);

    wait_sleep(&queue, &lock, &state, WAIT_FOREVER);
    order[order_length++] = *(const char *)argument;
    spinlock_release(&lock, state);
}

/* More urgent than the test, so that all sleep when this returns. */
static int start_sleepers(void)
{
    memset(order, 0, sizeof order);
    order_length = 0;
    for (unsigned i = 0; i < SLEEPERS; i++)
        SELFTEST_EQUAL(thread_create("sleeper", THREAD_PRIORITY_HIGH, sleep_and_note,
                                     (void *)&"abcde"[i], &sleepers[i]),
                       0);
    return 0;
}

static void join_sleepers(void)
{
    for (unsigned i = 0; i < SLEEPERS; i++)
        thread_join(sleepers[i]);
}

SELFTEST_ONE_CPU(
    wait_order, "wait-order",
    "wait_wake_one wakes the longest sleeper, and it runs at once if it is more urgent")
{
    unsigned noted[SLEEPERS];

    if (start_sleepers() != 0)
        return 1;
    SELFTEST_EQUAL(order_length, 0);
    for (unsigned i = 0; i < SLEEPERS; i++) {
        wait_wake_one(&queue);
        noted[i] = order_length;
    }
    wait_wake_one(&queue); /* nobody is left */
    join_sleepers();
    SELFTEST_CHECK(strcmp(order, "abcde") == 0);
    for (unsigned i = 0; i < SLEEPERS; i++)
        SELFTEST_EQUAL(noted[i], i + 1);
    return 0;
}

/* Wakes all five at once; the letters that were noted before the lock was let go. *TORN: a tick
 * took the CPU from one of them before it had noted its letter, so that the next came first. */
static unsigned wake_five(bool *torn)
{
    uintptr_t state = spinlock_acquire(&lock);
    unsigned early;

    wait_wake_all(&queue);
    early = order_length;
    spinlock_release(&lock, state);
    *torn = false;
    for (unsigned i = 0; i < SLEEPERS; i++)
        *torn |= sleepers[i]->involuntary != 0;
    return early;
}

SELFTEST_ONE_CPU(wait_all, "wait-all",
                 "wait_wake_all wakes everybody, in order; under a lock they wait for its release")
{
    bool torn = true;

    for (unsigned attempt = 0; torn && attempt < 20; attempt++) {
        unsigned early;

        if (start_sleepers() != 0)
            return 1;
        early = wake_five(&torn);
        SELFTEST_EQUAL(order_length, SLEEPERS);
        join_sleepers();
        SELFTEST_EQUAL(early, 0);
    }
    SELFTEST_CHECK(!torn);
    SELFTEST_CHECK(strcmp(order, "abcde") == 0);
    return 0;
}

SELFTEST(wait_deadline, "wait-deadline", "a wait ends with -ETIMEDOUT, never before its deadline")
{
    for (uint64_t ns = 0; ns < 4000000; ns = ns * 3 + 777) {
        uint64_t deadline = clock_now() + ns;
        uintptr_t state = spinlock_acquire(&lock);
        int result = wait_sleep(&queue, &lock, &state, deadline);

        spinlock_release(&lock, state);
        SELFTEST_EQUAL(result, -ETIMEDOUT);
        SELFTEST_CHECK(clock_now() >= deadline);
    }
    for (unsigned past = 0; past < 2; past++) { /* deadlines that have passed */
        uintptr_t state = spinlock_acquire(&lock);
        int result = wait_interruptible(&queue, &lock, &state, past ? 0 : clock_now() - 1);

        spinlock_release(&lock, state);
        SELFTEST_EQUAL(result, -ETIMEDOUT);
    }
    return 0;
}

static volatile unsigned posted;
static unsigned posts;

static void wait_post(struct timer *timer)
{
    (void)timer;
    spinlock_lock(&lock);
    posted = 1;
    posts++;
    wait_wake_one(&queue);
    spinlock_unlock(&lock);
}

SELFTEST(wait_lost, "wait-lost",
         "a timer that fires anywhere around the way to sleep is never missed")
{
    struct timer timer = {.pending = false};

    posts = 0;
    for (unsigned round = 0; round < 500; round++) {
        uint64_t end = until_deadline();
        uintptr_t state;
        int result = 0;

        posted = 0;
        timer_set(&timer, clock_now() + round * 37 % 5000, wait_post);
        state = spinlock_acquire(&lock);
        while (!posted && result == 0)
            result = wait_sleep(&queue, &lock, &state, end);
        spinlock_release(&lock, state);
        timer_cancel(&timer);
        SELFTEST_EQUAL(result, 0);
        SELFTEST_EQUAL(posts, round + 1);
    }
    return 0;
}

static int results[2];

static void sleep_interruptibly(void *argument)
{
    bool interruptible = *(const bool *)argument;
    uintptr_t state = spinlock_acquire(&lock);

    results[interruptible] = interruptible
                                 ? wait_interruptible(&queue, &lock, &state, until_deadline())
                                 : wait_sleep(&queue, &lock, &state, clock_now() + 2000000);
    spinlock_release(&lock, state);
}

SELFTEST_ONE_CPU(wait_interrupt, "wait-interrupt",
                 "thread_interrupt ends interruptible sleeps with -EINTR, and no others")
{
    static const bool kinds[2] = {false, true};
    struct thread *threads[2];

    for (unsigned i = 0; i < 2; i++) {
        results[i] = 1;
        SELFTEST_EQUAL(thread_create("sleeper", THREAD_PRIORITY_HIGH, sleep_interruptibly,
                                     (void *)&kinds[i], &threads[i]),
                       0);
    }
    for (unsigned i = 0; i < 2; i++)
        thread_interrupt(threads[i]);
    for (unsigned i = 0; i < 2; i++)
        thread_join(threads[i]);
    SELFTEST_EQUAL(results[0], -ETIMEDOUT);
    SELFTEST_EQUAL(results[1], -EINTR);
    return 0;
}

SELFTEST(sleep_length, "sleep-length", "thread_sleep never returns early")
{
    static const uint64_t lengths[] = {0, 1, 999, 50000, 1000000, 3333333, 10000000, 25000000};

    for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        uint64_t start = clock_now();

        SELFTEST_EQUAL(thread_sleep(lengths[i]), 0);
        SELFTEST_CHECK(clock_now() - start >= lengths[i]);
    }
    return 0;
}

static uint64_t first_deadline;
static bool was_torn;

/* As in wake_five: the thread may lose the CPU before it has noted its letter. */
static void sleep_then_note(void *argument)
{
    const char *letter = argument;
    uintptr_t state = spinlock_acquire(&lock);

    wait_sleep(&queue, &lock, &state, first_deadline + (uint64_t)(*letter - 'a') * 1000000);
    order[order_length++] = *letter;
    was_torn |= thread_current()->involuntary != 0;
    spinlock_release(&lock, state);
}

/* Whether all slept before the first deadline, which is AHEAD of now: a host that is busy elsewhere
 * may not let them. */
static int sleep_in_order(uint64_t ahead, bool *torn)
{
    bool late;

    memset(order, 0, sizeof order);
    order_length = 0;
    was_torn = false;
    preempt_disable();
    first_deadline = clock_now() + ahead;
    for (unsigned i = 0; i < SLEEPERS; i++)
        SELFTEST_EQUAL(thread_create("sleeper", THREAD_PRIORITY_HIGH, sleep_then_note,
                                     (void *)&"dacbe"[i], &sleepers[i]),
                       0);
    preempt_enable(); /* they are more urgent: all sleep when this returns */
    late = clock_now() >= first_deadline;
    join_sleepers();
    *torn = late || was_torn;
    return 0;
}

SELFTEST_ONE_CPU(sleep_order, "sleep-order",
                 "several sleepers wake in the order of their deadlines")
{
    bool torn = true;

    for (uint64_t ahead = 4000000; torn && ahead < 10000000000; ahead *= 2)
        if (sleep_in_order(ahead, &torn) != 0)
            return 1;
    SELFTEST_CHECK(!torn);
    SELFTEST_CHECK(strcmp(order, "abcde") == 0);
    return 0;
}
