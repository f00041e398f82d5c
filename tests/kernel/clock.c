/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of the clock: it never goes back, whatever interrupts come between, and its units agree. */
#include "kernel/time/clock.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "kernel/time/timer.h"
#include "tests/kernel/until.h"

SELFTEST(clock_monotonic, "clock-monotonic", "clock_now never goes back, over many ticks")
{
    uint64_t last = clock_now(), end = last + 5 * CLOCK_TICK_NS;
    unsigned moved = 0;

    for (unsigned i = 0; i < 20000 || last < end; i++) {
        uint64_t now = clock_now();

        SELFTEST_CHECK(now >= last);
        moved += now > last;
        last = now;
    }
    SELFTEST_CHECK(moved > 0);
    return 0;
}

static uint64_t latest;
static volatile unsigned readings, backwards;

/* Each reading, in a callback or in the thread, must be at least the one before it. */
static void read_clock(struct timer *timer)
{
    uint64_t now = clock_now();

    backwards += now < latest;
    latest = now;
    readings++;
    timer_set(timer, now + 50000, read_clock);
}

SELFTEST(clock_interrupted, "clock-interrupted",
         "nor does it between a thread and the interrupts that come between")
{
    struct timer timer = {.pending = false};
    uint64_t end = until_deadline();

    latest = readings = backwards = 0;
    timer_set(&timer, clock_now() + 50000, read_clock);
    while (readings < 200 && clock_now() < end) {
        unsigned before = readings;
        uint64_t seen = *(volatile uint64_t *)&latest, now = clock_now();

        if (before == readings && now < seen)
            backwards++;
    }
    timer_cancel_wait(&timer);
    SELFTEST_EQUAL(backwards, 0);
    SELFTEST_CHECK(readings >= 200);
    return 0;
}

SELFTEST(clock_units, "clock-units", "cycles and nanoseconds convert back and forth, up to a day")
{
    uint64_t hz = clock_frequency();

    SELFTEST_CHECK(hz >= 1000000);
    SELFTEST_EQUAL(clock_ns_to_cycles(1000000000), hz);
    for (uint64_t ns = 1000; ns < 86400000000000ull; ns = ns * 7 + 13) {
        uint64_t back = clock_cycles_to_ns(clock_ns_to_cycles(ns));
        uint64_t slack =
            1000000000 / hz + 1 + ns / 1000000; /* a cycle, and what 32 bits of fraction lose */

        SELFTEST_CHECK(back <= ns + 1 && back + slack >= ns);
    }
    return 0;
}

SELFTEST(clock_wall, "clock-wall", "the wall clock moves with the other one")
{
    uint64_t around = clock_now(), wall = clock_wall(), now = clock_now();

    if (wall == 0)
        return selftest_skip("this board has no clock to read");
    SELFTEST_EQUAL(thread_sleep(2000000), 0);
    now = clock_now() - now;
    wall = clock_wall() - wall;
    around = clock_now() - around;
    SELFTEST_CHECK(wall >= 2000000 && wall >= now && wall <= around);
    return 0;
}
