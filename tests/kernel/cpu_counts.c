/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of what is counted for threads and CPUs at switches, moves and cross calls: each test
 * makes a known number of them. Others may do so meanwhile, so that it may take some attempts until
 * the counts move by that number exactly; counts that miss some, or have some twice, never do.
 */
#include "kernel/cpu/cpu.h"
#include "kernel/thread/cpu_counts.h"
#include "kernel/cpu/cross_call.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "kernel/time/timer.h"
#include "kernel/thread/wait.h"
#include "tests/kernel/until.h"

#define TIMES    20u
#define ATTEMPTS 100

static void cpu_counts_nothing(void *unused)
{
    (void)unused;
}

static int attempt_calls(void)
{
    struct cpu_counts before, after;

    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        if (cpu == cpu_here.id)
            continue;
        cpu_counts_get(cpu, &before);
        for (unsigned i = 0; i < TIMES; i++)
            cross_call_one(cpu, cpu_counts_nothing, NULL);
        cpu_counts_get(cpu, &after);
        SELFTEST_EQUAL(after.cross_calls - before.cross_calls, TIMES);
    }
    return 0;
}

static int attempt_moves(void)
{
    struct thread *self = thread_current();
    struct cpu_counts before[2], after[2];
    uint64_t moved;

    thread_set_affinity(self, 1);
    moved = self->migrations;
    cpu_counts_get(0, &before[0]);
    cpu_counts_get(1, &before[1]);
    for (unsigned i = 0; i < TIMES; i++) {
        thread_set_affinity(self, 2);
        thread_set_affinity(self, 1);
    }
    cpu_counts_get(0, &after[0]);
    cpu_counts_get(1, &after[1]);
    SELFTEST_EQUAL(self->migrations - moved, 2 * TIMES);
    SELFTEST_EQUAL(after[0].migrations - before[0].migrations, TIMES);
    SELFTEST_EQUAL(after[1].migrations - before[1].migrations, TIMES);
    return 0;
}

static volatile unsigned woken;
static volatile bool over, ready;
static struct wait_queue queue = WAIT_QUEUE_INITIALIZER(queue);
static struct spinlock lock = SPINLOCK_INITIALIZER("counts test");

static void cpu_counts_wake(struct timer *timer)
{
    (void)timer;
    ready = true;
    wait_wake_all(&queue);
}

static void wake_up(void *unused)
{
    uintptr_t state = spinlock_acquire(&lock);

    (void)unused;
    while (!over) {
        while (!ready)
            wait_sleep(&queue, &lock, &state, WAIT_FOREVER);
        ready = false;
        woken++;
    }
    spinlock_release(&lock, state);
}

/* The urgent thread takes the CPU from this one, and gives it back by itself. */
static int attempt_preempted(struct thread *urgent)
{
    struct thread *self = thread_current();
    uint64_t own = self->involuntary, all = self->switches, theirs = urgent->switches,
             forced = urgent->involuntary;
    struct timer timer = {.pending = false};
    struct cpu_counts before, after;
    unsigned start = woken;

    cpu_counts_get(cpu_here.id, &before);
    for (unsigned i = 1; i <= TIMES; i++) {
        timer_set(&timer, clock_now() + 50000, cpu_counts_wake);
        if (!until_at_least(&woken, start + i))
            return selftest_fail("nobody was woken");
    }
    cpu_counts_get(cpu_here.id, &after);
    SELFTEST_EQUAL(self->involuntary - own, TIMES);
    SELFTEST_EQUAL(self->switches - all, TIMES);
    SELFTEST_EQUAL(urgent->switches - theirs, TIMES);
    SELFTEST_EQUAL(urgent->involuntary - forced, 0);
    SELFTEST_EQUAL(after.involuntary - before.involuntary, TIMES);
    SELFTEST_EQUAL(after.switches - before.switches, 2 * TIMES);
    return 0;
}

static int cpu_counts_try(int (*attempt)(void))
{
    struct thread *self = thread_current();
    uint32_t affinity = thread_affinity(self);
    int failed = 1;

    thread_set_affinity(self, 1);
    for (unsigned i = 0; i < ATTEMPTS && failed; i++) {
        selftest_clear();
        failed = attempt();
    }
    thread_set_affinity(self, affinity);
    return failed;
}

SELFTEST(counts_calls, "counts-calls", "a CPU counts each cross call that it runs for another")
{
    return cpu_count() == 1 ? selftest_skip("there is one CPU") : cpu_counts_try(attempt_calls);
}

SELFTEST(counts_moves, "counts-moves", "thread and CPU count each move from CPU to CPU")
{
    return cpu_count() == 1 ? selftest_skip("there is one CPU") : cpu_counts_try(attempt_moves);
}

SELFTEST_ONE_CPU(counts_preempted, "counts-preempted",
                 "switches, and those that the thread did not ask for, are counted each")
{
    struct thread *urgent;
    int failed = 1;

    over = ready = false;
    woken = 0;
    SELFTEST_EQUAL(thread_create("urgent", THREAD_PRIORITY_HIGH, wake_up, NULL, &urgent), 0);
    for (unsigned i = 0; i < ATTEMPTS && failed; i++) {
        selftest_clear();
        failed = attempt_preempted(urgent);
    }
    over = true;
    cpu_counts_wake(NULL);
    thread_join(urgent);
    return failed;
}
