/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of spinlocks: that they exclude threads, CPUs and handlers, and what misuse they find. */
#include "kernel/lock/spinlock.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "kernel/time/clock.h"
#include "tests/kernel/selftest.h"
#include "kernel/time/timer.h"
#include "tests/kernel/crowd.h"
#include "tests/kernel/until.h"

#define THREADS 4
#define ROUNDS  20000
#define PERIOD  50000 /* ns between the timer's own additions */

static struct spinlock lock = SPINLOCK_INITIALIZER("spinlock test");
static volatile uint64_t plain; /* under lock */
static volatile unsigned fired;

/* In three steps, so that anybody in between would be noticed. */
static void add_one(void)
{
    uint64_t was = plain;

    spinlock_pause();
    plain = was + 1;
}

static void spinlock_add_many(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < ROUNDS; i++) {
        uintptr_t state = spinlock_acquire(&lock);

        add_one();
        spinlock_release(&lock, state);
    }
}

SELFTEST(spinlock_exclusion, "spinlock-exclusion",
         "4 threads add 20,000 each to a plain variable: 80,000")
{
    plain = 0;
    if (crowd_run(THREADS, spinlock_add_many, NULL) != 0)
        return 1;
    SELFTEST_EQUAL(plain, 80000);
    SELFTEST_EQUAL(lock.held, 0);
    return 0;
}

static void add_from_timer(struct timer *timer)
{
    spinlock_lock(&lock);
    add_one();
    spinlock_unlock(&lock);
    fired++;
    timer_set(timer, clock_now() + PERIOD, add_from_timer);
}

SELFTEST(spinlock_handler, "spinlock-handler", "the same with a timer that adds as well")
{
    static struct timer timer;
    int result;

    plain = 0;
    fired = 0;
    timer_set(&timer, clock_now() + PERIOD, add_from_timer);
    result = crowd_run(THREADS, spinlock_add_many, NULL);
    if (!until_at_least(&fired, 1))
        result = selftest_fail("the timer never came");
    timer_cancel_wait(&timer);
    if (result != 0)
        return result;
    SELFTEST_EQUAL(plain, 80000 + fired);
    return 0;
}

static void add_by_try(void *unused)
{
    (void)unused;
    for (unsigned added = 0; added < ROUNDS / 10;) {
        uintptr_t state = interrupts_save();
        bool taken = spinlock_try(&lock);

        if (taken) {
            add_one();
            spinlock_unlock(&lock);
            added++;
        }
        interrupts_restore(state);
        if (!taken)
            cpu_relax();
    }
}

SELFTEST(spinlock_try, "spinlock-try", "spinlock_try takes a lock that is free, and no other")
{
    uintptr_t state = spinlock_acquire(&lock);
    bool again = spinlock_try(&lock), held = spinlock_held(&lock);

    spinlock_release(&lock, state);
    SELFTEST_CHECK(!again && held && !spinlock_held(&lock));
    plain = 0;
    if (crowd_run(THREADS, add_by_try, NULL) != 0)
        return 1;
    SELFTEST_EQUAL(plain, 8000);
    return 0;
}

SELFTEST(spinlock_state, "spinlock-state", "a release leaves interrupts as they were")
{
    struct spinlock inner;
    uintptr_t first, second;
    bool between;

    spinlock_init(&inner, "spinlock test inner");
    first = spinlock_acquire(&lock);
    second = spinlock_acquire(&inner);
    spinlock_release(&inner, second);
    between = interrupts_enabled();
    spinlock_release(&lock, first);
    SELFTEST_CHECK(!between && interrupts_enabled());
    return 0;
}

SELFTEST_ONLY_NAMED(spinlock_twice, "spinlock-twice", "panics: a spinlock taken twice")
{
    spinlock_acquire(&lock);
    spinlock_acquire(&lock);
    return selftest_fail("nobody noticed");
}

SELFTEST_ONLY_NAMED(spinlock_not_held, "spinlock-not-held",
                    "panics: a spinlock released that nobody holds")
{
    spinlock_release(&lock, 0);
    return selftest_fail("nobody noticed");
}
