/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two drivers come to an empty line at once, with different levels: one of them is told that the
 * line is busy. A third CPU holds the lock of all lines, in its chip, until both are on their way.
 */
#include <arch/cpu.h>
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "tests/kernel/fake_line.h"

#define ROUNDS 10
#define HELD_NS                                                                                    \
    5000000 /* long enough to come from the flag to the lock; if not, nothing is shown */

static volatile bool go, here[2], coming[2];
static int answers[2];
static struct fake_device devices[2] = {{.letter = 'o', .claims = 1}, {.letter = 't', .claims = 1}};

/* The others have been told to go by their own CPUs, which nothing else wants. */
static void interrupt_race_hold_up(struct interrupt_line *unused)
{
    uint64_t end;

    (void)unused;
    go = true;
    while (!coming[0] || !coming[1])
        cpu_relax();
    end = clock_now() + HELD_NS;
    while (clock_now() < end)
        cpu_relax();
}

static const struct interrupt_chip slow_chip = {.name = "selftest",
                                                .unmask = interrupt_race_hold_up};
static struct interrupt_line slow = {.name = "slow line"};

static void come(void *which)
{
    unsigned n = (unsigned)(uintptr_t)which;

    thread_set_affinity(thread_current(), 2u << n);
    here[n] = true;
    while (!go)
        cpu_relax();
    coming[n] = true;
    answers[n] =
        fake_establish(fake_line(0), n == 0 ? IPL_SOFTNET : IPL_VM, &devices[n], "test race");
}

static int race(void)
{
    struct fake_device holder = {.letter = 'h'};
    struct thread *threads[2];

    go = coming[0] = coming[1] = false;
    here[0] = here[1] = false;
    for (uintptr_t n = 0; n < 2; n++)
        SELFTEST_EQUAL(thread_create("race", THREAD_PRIORITY_NORMAL, come, (void *)n, &threads[n]),
                       0);
    while (!here[0] || !here[1])
        thread_sleep(100000); /* an emulator that runs one CPU at a time goes on to the others */
    SELFTEST_EQUAL(fake_establish(&slow, IPL_SCHED, &holder, "test holder"), 0);
    thread_join(threads[0]);
    thread_join(threads[1]);
    fake_remove(&slow, &holder);
    for (unsigned n = 0; n < 2; n++)
        if (answers[n] == 0)
            fake_remove(fake_line(0), &devices[n]);
    SELFTEST_CHECK(answers[0] == 0 || answers[1] == 0);
    SELFTEST_EQUAL(answers[0] + answers[1], -EBUSY);
    return 0;
}

SELFTEST(interrupt_race, "interrupt-race",
         "of two that come to an empty line at once with different levels, one is refused")
{
    uint32_t affinity = thread_affinity(thread_current());
    int result = 0;

    if (cpu_count() < 3)
        return selftest_skip("needs three CPUs");
    if (!slow.attached)
        interrupt_line_attach(&slow, &slow_chip, 6, false, "selftest", NULL);
    (void)fake_line(0); /* is attached by the first who asks */
    thread_set_affinity(thread_current(), 1);
    for (unsigned n = 0; n < ROUNDS && result == 0; n++)
        result = race();
    thread_set_affinity(thread_current(), affinity);
    return result;
}
