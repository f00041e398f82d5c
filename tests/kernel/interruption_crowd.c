/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sleepers that are woken, interrupted and timed out by threads on all CPUs at once. Each sleep has
 * one end, and what ended it is counted by both sides: wake-ups by who woke and by who was woken;
 * interruptions by who sent one, which waits until the last one was taken notice of, and by who
 * took it. A wake-up or an interruption that is lost, or taken twice, shows in the sums, or leaves
 * somebody waiting, until the test gives up.
 */
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "kernel/thread/wait.h"
#include "kernel/time/clock.h"
#include "lib/errno.h"
#include "tests/kernel/crowd.h"
#include "tests/kernel/until.h"

#define SLEEPERS   5
#define WAKERS     2
#define WAKE_UPS   800 /* of each waker */
#define INTERRUPTS 250 /* of each sleeper */

struct sleeper {
    struct thread *thread;
    uint64_t woken, late, odd;
    volatile uint64_t sent, taken; /* interruptions: the interrupter's, its own */
};

static struct wait_queue queue = WAIT_QUEUE_INITIALIZER(queue);
static struct spinlock lock = SPINLOCK_INITIALIZER("interruption crowd");
static struct sleeper sleepers[SLEEPERS];
static volatile bool with_deadlines;
/* Under the lock. */
static volatile bool stop;
static uint64_t woke;
static unsigned asleep; /* or about to be, or about to notice that they are not */

static void sleep_often(void *argument)
{
    struct sleeper *self = argument;
    uint64_t turns = 0;
    uintptr_t state = spinlock_acquire(&lock);

    while (!stop) {
        uint64_t end =
            with_deadlines && turns++ % 3 == 0 ? clock_now() + turns * 7 % 30000 : until_deadline();
        int result = wait_interruptible(&queue, &lock, &state, end);

        if (result == 0)
            self->woken++;
        else if (result == -ETIMEDOUT)
            self->late++;
        else if (result == -EINTR && thread_interruption_take())
            self->taken++;
        else
            self->odd++;
    }
    if (thread_interruption_take())
        self->taken++;
    asleep--;
    spinlock_release(&lock, state);
}

static void wake_often(void *argument)
{
    uint64_t end = until_deadline();

    (void)argument;
    for (unsigned done = 0; done < WAKE_UPS && clock_now() < end;) {
        if (wait_wake_one(&queue)) { /* without the lock: anywhere on somebody's way to sleep */
            uintptr_t state = spinlock_acquire(&lock);

            woke++;
            spinlock_release(&lock, state);
            done++;
        } else {
            thread_yield();
        }
    }
}

/* Interrupts all in turn; each only when it has taken the last one, whatever it does just then. */
static void interrupt_often(void *argument)
{
    uint64_t end = until_deadline();

    (void)argument;
    for (unsigned n = 0; n < INTERRUPTS * SLEEPERS; n++) {
        struct sleeper *sleeper = &sleepers[n % SLEEPERS];

        while (sleeper->taken != sleeper->sent) {
            if (clock_now() > end)
                return;
            thread_yield();
        }
        sleeper->sent++;
        thread_interrupt(sleeper->thread);
    }
}

static void interruption_crowd_play(void *argument)
{
    static void (*const parts[WAKERS + 1])(void *) = {wake_often, wake_often, interrupt_often};
    unsigned *next = argument, part;
    uintptr_t state = spinlock_acquire(&lock);

    part = (*next)++;
    spinlock_release(&lock, state);
    parts[part](NULL);
}

/* Wakes who is left until none is. */
static void end_sleepers(void)
{
    uintptr_t state = spinlock_acquire(&lock);

    stop = true;
    while (asleep > 0) {
        woke += wait_wake_one(&queue);
        spinlock_release(&lock, state);
        thread_yield();
        state = spinlock_acquire(&lock);
    }
    spinlock_release(&lock, state);
    for (unsigned i = 0; i < SLEEPERS; i++)
        thread_join(sleepers[i].thread);
}

static int check_sums(void)
{
    uint64_t woken = 0, late = 0;

    for (unsigned i = 0; i < SLEEPERS; i++) {
        SELFTEST_EQUAL(sleepers[i].odd, 0);
        SELFTEST_EQUAL(sleepers[i].sent, INTERRUPTS);
        SELFTEST_EQUAL(sleepers[i].taken, INTERRUPTS);
        woken += sleepers[i].woken;
        late += sleepers[i].late;
    }
    SELFTEST_EQUAL(woken, woke);
    SELFTEST_CHECK(woke >= WAKERS * WAKE_UPS);
    SELFTEST_CHECK(with_deadlines || late == 0);
    return 0;
}

static int run_crowd(bool deadlines)
{
    unsigned next = 0;
    int result;

    with_deadlines = deadlines;
    stop = false;
    woke = 0;
    asleep = SLEEPERS;
    for (unsigned i = 0; i < SLEEPERS; i++) {
        sleepers[i] = (struct sleeper){.thread = NULL};
        SELFTEST_EQUAL(thread_create("sleeper", THREAD_PRIORITY_NORMAL, sleep_often, &sleepers[i],
                                     &sleepers[i].thread),
                       0);
    }
    result = crowd_run(WAKERS + 1, interruption_crowd_play, &next);
    end_sleepers();
    return result == 0 ? check_sums() : result;
}

SELFTEST(interruption_crowd, "interruption-crowd",
         "sleepers that are woken and interrupted at once: each is one or the other, none is lost")
{
    return run_crowd(false);
}

SELFTEST(interruption_deadlines, "interruption-deadlines",
         "the same where some sleeps have deadlines that pass meanwhile")
{
    return run_crowd(true);
}
