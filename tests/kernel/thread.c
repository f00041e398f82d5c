/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of threads: birth and end, priorities, round robin, and sections without preemption. */
#include "kernel/cpu/preempt.h"
#include "kernel/thread/thread.h"
#include "kernel/cpu/ipl.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/wait.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "tests/kernel/until.h"

#define NORMAL  THREAD_PRIORITY_NORMAL
#define THREADS 6

static char order[THREADS + 1];
static unsigned order_length;

/* ARGUMENT points at the letter to note. A tick may come before it, or after it. */
static void thread_note(void *argument)
{
    preempt_disable();
    order[order_length++] = *(const char *)argument;
    order[order_length] = '\0';
    preempt_enable();
}

static void note_reset(void)
{
    order_length = 0;
    order[0] = '\0';
}

SELFTEST(thread_errors, "thread-errors",
         "threads without a legal priority or a function are refused")
{
    struct thread *thread;

    SELFTEST_EQUAL(thread_create("idle?", THREAD_PRIORITY_IDLE, thread_note, NULL, &thread),
                   -EINVAL);
    SELFTEST_EQUAL(thread_create("over", THREAD_PRIORITIES, thread_note, NULL, &thread), -EINVAL);
    SELFTEST_EQUAL(thread_create("nothing", NORMAL, NULL, NULL, &thread), -EINVAL);
    return 0;
}

static int run_in_order(void)
{
    struct thread *threads[THREADS];

    note_reset();
    preempt_disable(); /* the tick would let the first ones run before the last one is there */
    for (unsigned i = 0; i < THREADS; i++)
        SELFTEST_EQUAL(
            thread_create("order", NORMAL, thread_note, (void *)&"abcdef"[i], &threads[i]), 0);
    preempt_enable();
    for (unsigned i = THREADS; i-- > 0;)
        thread_join(threads[i]);
    SELFTEST_EQUAL(order_length, THREADS);
    return 0;
}

/* A tick may end a thread's turn before it has noted anything: hence more than one attempt. */
SELFTEST_ONE_CPU(thread_order, "thread-order", "equals run in the order of creation, once each")
{
    for (unsigned attempt = 0; attempt < 50; attempt++) {
        if (run_in_order() != 0)
            return 1;
        if (strcmp(order, "abcdef") == 0)
            return 0;
    }
    return selftest_fail("%s", order);
}

SELFTEST_ONE_CPU(thread_priority, "thread-priority",
                 "a more urgent thread runs at once, a less urgent one when nobody else wants to")
{
    struct thread *low, *lower, *high;

    note_reset();
    SELFTEST_EQUAL(thread_create("lower", 1, thread_note, "c", &lower), 0);
    SELFTEST_EQUAL(thread_create("low", NORMAL - 1, thread_note, "b", &low), 0);
    SELFTEST_EQUAL(order_length, 0);
    SELFTEST_EQUAL(thread_create("high", THREAD_PRIORITIES - 1, thread_note, "a", &high), 0);
    SELFTEST_CHECK(strcmp(order, "a") == 0);
    thread_yield(); /* not to them */
    SELFTEST_EQUAL(order_length, 1);
    thread_join(lower);
    thread_join(low);
    thread_join(high);
    SELFTEST_CHECK(strcmp(order, "abc") == 0);
    return 0;
}

SELFTEST(thread_many, "thread-many", "300 threads, one after the other, leave nothing behind")
{
    struct thread *thread;
    size_t before = thread_snapshot(NULL, 0);

    for (unsigned i = 0; i < 300; i++) {
        note_reset();
        SELFTEST_EQUAL(thread_create("a name that is longer than a thread's name can be",
                                     NORMAL + i % 2, thread_note, "x", &thread),
                       0);
        thread_join(thread);
        SELFTEST_EQUAL(order_length, 1);
    }
    /* Commands beside this one may have begun some threads, but not so many. */
    SELFTEST_CHECK(thread_snapshot(NULL, 0) < before + 150);
    return 0;
}

static volatile unsigned turns[2];

/* Turns until the other one has turned as well, several times over: without a tick, the first would
 * turn for ever. */
static void thread_take_turns(void *argument)
{
    unsigned self = *(const unsigned *)argument;

    for (unsigned i = 0; i < 3; i++) {
        unsigned other = turns[1 - self];

        turns[self]++;
        if (!until_at_least(&turns[1 - self], other + 1))
            return;
    }
    turns[self] += 100; /* done; and lets the other one finish */
}

SELFTEST_ONE_CPU(thread_turns, "thread-turns", "equals that never sleep take turns by the tick")
{
    static const unsigned numbers[2] = {0, 1};
    struct thread *threads[2];
    struct thread_info info[64];
    size_t count;

    turns[0] = turns[1] = 0;
    for (unsigned i = 0; i < 2; i++)
        SELFTEST_EQUAL(thread_create(i ? "turn 1" : "turn 0", NORMAL - 1, thread_take_turns,
                                     (void *)&numbers[i], &threads[i]),
                       0);
    count = thread_snapshot(info, 64);
    SELFTEST_CHECK(count >= 3 && count <= 64 && strcmp(info[count - 1].name, "turn 1") == 0);
    SELFTEST_EQUAL(info[count - 1].priority, NORMAL - 1);
    SELFTEST_EQUAL(info[count - 1].state, 'r');
    thread_join(threads[0]);
    thread_join(threads[1]);
    SELFTEST_CHECK(turns[0] > 100 && turns[1] > 100);
    return 0;
}

static struct wait_queue queue = WAIT_QUEUE_INITIALIZER(queue);
static struct spinlock lock = SPINLOCK_INITIALIZER("thread test");
static volatile unsigned fired, ran;
static bool go;

static void wake_queue(struct timer *timer)
{
    (void)timer;
    go = true;
    wait_wake_all(&queue);
    fired++;
}

static void thread_sleep_once(void *unused)
{
    uintptr_t state = spinlock_acquire(&lock);

    (void)unused;
    while (!go)
        wait_sleep(&queue, &lock, &state, WAIT_FOREVER);
    spinlock_release(&lock, state);
    ran++;
}

/* Whether a thread that a timer wakes stays away until LEAVE. */
static int check_held_off(void (*enter)(void), void (*leave)(void))
{
    struct timer timer = {.pending = false};
    struct thread *thread;
    unsigned ran_inside;

    go = false;
    fired = ran = 0;
    SELFTEST_EQUAL(thread_create("urgent", THREAD_PRIORITY_HIGH, thread_sleep_once, NULL, &thread),
                   0);
    enter();
    timer_set(&timer, clock_now() + 1000000, wake_queue);
    if (!until_at_least(&fired, 1)) {
        timer_cancel(&timer);
        wake_queue(&timer);
        fired = 0;
    }
    ran_inside = ran;
    leave();
    if (ran_inside == 0 && ran == 1)
        ran_inside = 2; /* ran at once, as it ought to */
    thread_join(thread);
    SELFTEST_EQUAL(fired, 1);
    SELFTEST_EQUAL(ran_inside, 2);
    return 0;
}

static void nest_disable(void)
{
    preempt_disable();
    preempt_disable();
    preempt_enable();
}

SELFTEST_ONE_CPU(thread_preempt_off, "thread-preempt-off",
                 "between preempt_disable and preempt_enable nobody else runs, after it at once")
{
    return check_held_off(nest_disable, preempt_enable);
}

static void thread_raise(void)
{
    splraise(IPL_VM);
}

static void lower(void)
{
    splx(IPL_NONE);
}

SELFTEST_ONE_CPU(thread_level, "thread-level",
                 "at a raised priority level nobody else runs, after splx at once")
{
    return check_held_off(thread_raise, lower);
}

static void raise_both(void)
{
    preempt_disable();
}

static void lower_both(void)
{
    splraise(IPL_VM);
    preempt_enable();
    splx(IPL_NONE);
}

SELFTEST_ONE_CPU(thread_both, "thread-both",
                 "a switch put off by preempt_disable and then by a level happens at splx")
{
    return check_held_off(raise_both, lower_both);
}

SELFTEST_ONE_CPU(thread_create_held, "thread-create-held",
                 "a thread created where preemption is off waits for preempt_enable")
{
    struct thread *thread;
    unsigned early;

    note_reset();
    preempt_disable();
    SELFTEST_EQUAL(thread_create("urgent", THREAD_PRIORITY_HIGH, thread_note, "h", &thread), 0);
    early = order_length;
    preempt_enable();
    SELFTEST_EQUAL(order_length, 1);
    thread_join(thread);
    SELFTEST_EQUAL(early, 0);
    return 0;
}
