/* SPDX-License-Identifier: BSD-2-Clause */
/* bench switch, block, preempt: from where a thread gives its CPU away to where the other one goes
 * on: it yields, it sleeps while the other is ready, or it wakes one of a higher priority. */
#include "kernel/thread/thread.h"
#include "kernel/thread/wait.h"
#include "shell/commands/bench/bench.h"
#include "shell/output.h"

struct bench_sides {
    struct wait_queue sleepers[2]; /* each side's */
    struct spinlock lock;
    unsigned turn; /* whose: under the lock */
};

/* The caller does MINE, another thread of that priority THEIRS; both get the same sides. */
static int bench_switch_between(unsigned priority, void (*theirs)(void *), void (*mine)(void *))
{
    struct bench_sides sides = {.turn = 0};
    struct thread *other;

    for (unsigned side = 0; side < 2; side++)
        wait_queue_init(&sides.sleepers[side]);
    spinlock_init(&sides.lock, "bench");
    if (thread_create("bench", priority, theirs, &sides, &other) != 0) {
        shell_printf("bench: no memory for a thread\n");
        return 1;
    }
    mine(&sides);
    thread_join(other);
    return 0;
}

static __attribute__((noinline, noclone)) void bench_switch_yield(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < BENCH_ROUNDS; i++) {
        BENCH_PLACE("bench_switch_begin");
        thread_yield();
        BENCH_PLACE("bench_switch_end");
    }
}

int bench_switch(void)
{
    return bench_switch_between(THREAD_PRIORITY_NORMAL, bench_switch_yield, bench_switch_yield);
}

/* The other side is ready when this one goes to sleep, and goes on where it slept itself. */
static __attribute__((noinline, noclone)) void bench_switch_block(struct bench_sides *sides,
                                                                  unsigned side)
{
    uintptr_t state = spinlock_acquire(&sides->lock);

    for (unsigned i = 0; i < BENCH_ROUNDS; i++) {
        while (sides->turn != side) {
            BENCH_PLACE("bench_block_begin");
            wait_sleep(&sides->sleepers[side], &sides->lock, &state, WAIT_FOREVER);
            BENCH_PLACE("bench_block_end");
        }
        sides->turn = !side;
        wait_wake_one(&sides->sleepers[!side]);
    }
    spinlock_release(&sides->lock, state);
}

static void bench_switch_first(void *sides)
{
    bench_switch_block(sides, 0);
}

static void bench_switch_second(void *sides)
{
    bench_switch_block(sides, 1);
}

int bench_block(void)
{
    return bench_switch_between(THREAD_PRIORITY_NORMAL, bench_switch_second, bench_switch_first);
}

static __attribute__((noinline, noclone)) void bench_switch_high(void *argument)
{
    struct bench_sides *sides = argument;
    uintptr_t state = spinlock_acquire(&sides->lock);

    while (sides->turn < BENCH_ROUNDS) {
        wait_sleep(&sides->sleepers[1], &sides->lock, &state, WAIT_FOREVER);
        BENCH_PLACE("bench_preempt_end");
    }
    spinlock_release(&sides->lock, state);
}

static __attribute__((noinline, noclone)) void bench_switch_wake(void *argument)
{
    struct bench_sides *sides = argument;

    for (unsigned i = 0; i < BENCH_ROUNDS; i++) {
        uintptr_t state = spinlock_acquire(&sides->lock);

        sides->turn++;
        spinlock_release(&sides->lock, state);
        BENCH_PLACE("bench_preempt_begin");
        wait_wake_one(&sides->sleepers[1]);
    }
}

/* On one CPU: where there are several, the woken thread may go to another one. */
int bench_preempt(void)
{
    return bench_switch_between(THREAD_PRIORITY_HIGH, bench_switch_high, bench_switch_wake);
}
