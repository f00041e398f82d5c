/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of timers: order, moving, cancelling, and the context of a callback. */
#include "kernel/time/timer.h"
#include <arch/interrupt_flag.h>
#include <sys/evcnt.h>
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cross_call.h"
#include "kernel/interrupt/interrupt.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "lib/string.h"
#include "tests/kernel/until.h"

#define TIMERS 5

static struct timer timers[TIMERS];
static char order[2 * TIMERS + 1];
static volatile unsigned fired, early;

static void timer_note(struct timer *timer)
{
    if (clock_now() < timer_deadline(timer))
        early++;
    if (fired < 2 * TIMERS)
        order[fired] = (char)('a' + (timer - timers));
    fired++;
}

static void reset(void)
{
    memset(order, 0, sizeof order);
    fired = early = 0;
}

/* Sets the timers to now plus the given delays, all before the first can fire. */
static uint64_t set_all(const unsigned *delays)
{
    uintptr_t state = interrupts_save();
    uint64_t now = clock_now();

    for (unsigned i = 0; i < TIMERS; i++)
        timer_set(&timers[i], now + delays[i], timer_note);
    interrupts_restore(state);
    return now;
}

SELFTEST(timer_order, "timer-order",
         "callbacks come in the order of their deadlines, equals as they were set, never early")
{
    static const unsigned apart[TIMERS] = {3000000, 1000000, 2000000, 5000000, 4000000};
    static const unsigned equal[TIMERS] = {2000000, 2000000, 1000000, 2000000, 1000000};

    reset();
    set_all(apart);
    SELFTEST_CHECK(until_at_least(&fired, TIMERS));
    SELFTEST_CHECK(strcmp(order, "bcaed") == 0);
    SELFTEST_EQUAL(early, 0);
    reset();
    set_all(equal);
    SELFTEST_CHECK(until_at_least(&fired, TIMERS));
    SELFTEST_CHECK(strcmp(order, "ceabd") == 0);
    SELFTEST_EQUAL(early, 0);
    for (unsigned i = 0; i < TIMERS; i++)
        SELFTEST_CHECK(!timers[i].pending);
    return 0;
}

SELFTEST(timer_cancel, "timer-cancel",
         "a cancelled timer does not fire; timer_cancel says whether it was pending")
{
    static const unsigned delays[TIMERS] = {1000000, 1000000, 2000000, 3000000, 3000000};
    uintptr_t state = interrupts_save();
    bool cancelled;

    reset();
    set_all(delays);
    cancelled = timer_cancel(&timers[0]) && timer_cancel(&timers[2]) && timer_cancel(&timers[4]) &&
                !timer_cancel(&timers[0]);
    interrupts_restore(state);
    SELFTEST_CHECK(cancelled);
    SELFTEST_CHECK(until_at_least(&fired, 2));
    SELFTEST_EQUAL(thread_sleep(2000000), 0);
    SELFTEST_CHECK(strcmp(order, "bd") == 0);
    SELFTEST_CHECK(!timer_cancel(&timers[1]));
    return 0;
}

SELFTEST(timer_move, "timer-move", "setting a pending timer moves it, to earlier and to later")
{
    static const unsigned delays[TIMERS] = {1000000, 2000000, 3000000, 4000000, 5000000};
    uintptr_t state = interrupts_save();
    uint64_t now;

    reset();
    now = set_all(delays);
    timer_set(&timers[0], now + 6000000, timer_note);
    timer_set(&timers[4], now + 500000, timer_note);
    timer_set(&timers[2], now + 3500000, timer_note);
    interrupts_restore(state);
    SELFTEST_CHECK(until_at_least(&fired, TIMERS));
    SELFTEST_CHECK(strcmp(order, "ebcda") == 0);
    SELFTEST_EQUAL(early, 0);
    SELFTEST_EQUAL(thread_sleep(1000000), 0);
    SELFTEST_EQUAL(fired, TIMERS);
    return 0;
}

static void again(struct timer *timer)
{
    timer_note(timer);
    if (fired < TIMERS)
        timer_set(timer, clock_now() + 100000, again);
}

SELFTEST(timer_again, "timer-again", "a callback may set its own timer")
{
    reset();
    timer_set(&timers[1], clock_now(), again);
    SELFTEST_CHECK(until_at_least(&fired, TIMERS));
    SELFTEST_CHECK(strcmp(order, "bbbbb") == 0);
    SELFTEST_CHECK(!timers[1].pending);
    return 0;
}

#define CANCELS 20
#define INSIDE  100000000 /* ns */

static volatile unsigned begun, over;
static volatile bool cancelling, sets_again;

/* Begins before it is cancelled, where another CPU can do that, and ends afterwards: unless that
 * CPU is held while something on this one, below the callback, looks at all of them. */
static void cancelled_inside(struct timer *timer)
{
    uint64_t end;

    begun++;
    if (cpu_here.id != 0) {
        for (end = clock_now() + INSIDE; !cancelling && clock_now() < end;)
            cpu_relax();
        for (end = clock_now() + 500000; clock_now() < end;)
            cpu_relax();
    }
    if (sets_again)
        timer_set(timer, clock_now() + begun % 2 * 50000, cancelled_inside);
    over++;
}

static void set_cancelled(void *unused)
{
    (void)unused;
    timer_set(&timers[0], clock_now(), cancelled_inside);
}

static int cancel_rounds(void)
{
    for (unsigned round = 0; round < CANCELS; round++) {
        bool moved = round % 4 == 3; /* while it runs, to this CPU's queue */
        unsigned seen;

        begun = over = 0;
        cancelling = false;
        sets_again = !moved;
        cross_call_one(cpu_count() - 1, set_cancelled, NULL);
        SELFTEST_CHECK(until_at_least(&begun, 1));
        if (moved)
            timer_set(&timers[0], until_deadline(), cancelled_inside);
        cancelling = true;
        SELFTEST_CHECK(timer_cancel_wait(&timers[0]));
        seen = over;
        SELFTEST_EQUAL(begun, seen);
        SELFTEST_CHECK(!timers[0].pending);
        SELFTEST_EQUAL(thread_sleep(1000000), 0);
        SELFTEST_EQUAL(begun, seen);
    }
    return 0;
}

SELFTEST(timer_cancel_wait, "timer-cancel-wait",
         "what sets itself again, or was moved while it ran, is over after timer_cancel_wait")
{
    uint32_t affinity = thread_affinity(thread_current());
    int result;

    thread_set_affinity(thread_current(), 1);
    result = cancel_rounds();
    sets_again = false;
    timer_cancel_wait(&timers[0]);
    thread_set_affinity(thread_current(), affinity);
    return result;
}

static struct {
    bool active, enabled, pending;
    int level;
} context;

static void look_around(struct timer *timer)
{
    context.active = interrupt_active();
    context.enabled = interrupts_enabled();
    context.level = splraise(IPL_NONE);
    context.pending = timer->pending;
    fired++;
}

SELFTEST(timer_context, "timer-context",
         "callbacks run in the clock interrupt, at IPL_SCHED, interrupts off")
{
    reset();
    timer_set(&timers[0], clock_now() + 100000, look_around);
    SELFTEST_CHECK(until_at_least(&fired, 1));
    SELFTEST_CHECK(context.active && !context.enabled && !context.pending);
    SELFTEST_EQUAL(context.level, IPL_SCHED);
    SELFTEST_CHECK(!interrupt_active() && interrupts_enabled());
    return 0;
}

SELFTEST(timer_held, "timer-held",
         "above IPL_SCHED the clock waits; at splx it catches up, before splx returns")
{
    const struct evcnt *clock = evcnt_lookup("clock", "intr");
    uint64_t now, arrived;
    unsigned inside, after, cpu;
    int level;

    SELFTEST_CHECK(clock != NULL && clock->ev_parent != NULL);
    reset();
    level = splhigh();
    cpu = thread_cpu();
    arrived = evcnt_cpu_value(clock->ev_parent, cpu); /* this CPU's: others take theirs */
    now = clock_now();
    timer_set(&timers[0], now + 200000, timer_note);
    while (clock_now() < now + 15000000) /* longer than a tick */
        continue;
    inside = fired;
    arrived = evcnt_cpu_value(clock->ev_parent, cpu) - arrived;
    splx(level);
    after = fired;
    SELFTEST_CHECK(until_at_least(&fired, 1));
    SELFTEST_EQUAL(inside, 0);
    SELFTEST_CHECK(arrived == 0 || after == 1);
    reset();
    timer_set(&timers[0], clock_now() + 200000, timer_note); /* and the clock goes on */
    SELFTEST_CHECK(until_at_least(&fired, 1));
    return 0;
}
