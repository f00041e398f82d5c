/* SPDX-License-Identifier: BSD-2-Clause */
/* A test of standstills: who stands serves interrupts until all have come, and such an interrupt
 * may last until a thread does something whose CPU stands already. */
#include "kernel/thread/standstill.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cross_call.h"
#include "kernel/thread/thread.h"
#include "kernel/time/clock.h"
#include "kernel/time/timer.h"
#include "lib/errno.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/until.h"

#define CHECKS    40
#define MOST_BUSY 10
#define PERIOD_NS 100000

static struct timer waiter;
static volatile unsigned steps, waited, stuck;
static volatile bool over;

static void wait_for_step(void)
{
    unsigned before = steps;
    uint64_t end = until_deadline();

    while (!over && steps == before && clock_now() < end)
        cpu_relax();
    stuck += clock_now() >= end;
    waited++;
}

/* On CPU 1: does not end before CPU 0's thread has gone a step. A checked build's laws may call for
 * a standstill on CPU 1, and such an interrupt of the caller must not wait. */
static void wait_inside(struct timer *timer)
{
    const struct cpu *cpu = cpu_current();

    if (cpu->current == cpu->idle)
        wait_for_step();
    if (!over)
        timer_set(timer, clock_now() + PERIOD_NS, wait_inside);
}

static void standstill_begin(void *unused)
{
    (void)unused;
    timer_set(&waiter, clock_now() + PERIOD_NS, wait_inside);
}

static void standstill_step(void *unused)
{
    (void)unused;
    thread_set_affinity(thread_current(), 1);
    while (!over) {
        steps++;
        thread_yield();
    }
}

static void standstill_look(void *looked)
{
    ++*(unsigned *)looked;
}

static int check_beside(unsigned *looked)
{
    unsigned late, i = 0, busy = 0;

    cross_call_one(1, standstill_begin, NULL);
    while ((i < CHECKS || waited < CHECKS) && !stuck) {
        int error = standstill(NULL, standstill_look, looked, &late);

        /* A host that is busy may keep a CPU from coming. */
        if (error == -EBUSY && ++busy < MOST_BUSY)
            continue;
        SELFTEST_EQUAL(error, 0);
        SELFTEST_EQUAL(*looked, ++i);
    }
    return 0;
}

SELFTEST(standstill_inside, "standstill-inside",
         "an interrupt in one that stands, which waits for another that stands, comes to its end")
{
    uint32_t affinity = thread_affinity(thread_current());
    struct thread *stepper;
    unsigned looked = 0;
    int result;

    if (cpu_count() < 3)
        return selftest_skip("needs three CPUs");
    over = false;
    steps = waited = stuck = 0;
    thread_set_affinity(thread_current(), 4);
    SELFTEST_EQUAL(thread_create("step", THREAD_PRIORITY_NORMAL, standstill_step, NULL, &stepper),
                   0);
    result = check_beside(&looked);
    over = true;
    thread_join(stepper);
    timer_cancel_wait(&waiter);
    thread_set_affinity(thread_current(), affinity);
    SELFTEST_EQUAL(stuck, 0);
    return result;
}
