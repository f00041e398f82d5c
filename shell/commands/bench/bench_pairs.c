/* SPDX-License-Identifier: BSD-2-Clause */
/* bench pairs: what it costs two threads to hand each other their turn, while other pairs do the
 * same. Pairs share nothing that they know of. */
#include "kernel/cpu/cpu.h"
#include "kernel/memory/kmem.h"
#include "kernel/thread/thread.h"
#include "kernel/thread/wait.h"
#include "lib/string.h"
#include "shell/commands/bench/bench.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

#define MOST 1000

struct bench_pair {
    struct wait_queue sleepers[2]; /* each side's */
    struct spinlock lock;
    unsigned turn;   /* whose: under the lock */
    unsigned rounds; /* of each side: under the lock */
    bool started;    /* under the lock */
    struct thread *threads[2];
};

static void bench_pairs_hand_over(struct bench_pair *pair, unsigned side)
{
    uintptr_t state = spinlock_acquire(&pair->lock);

    while (!pair->started)
        wait_sleep(&pair->sleepers[side], &pair->lock, &state, WAIT_FOREVER);
    for (unsigned i = 0; i < pair->rounds; i++) {
        while (pair->turn != side)
            wait_sleep(&pair->sleepers[side], &pair->lock, &state, WAIT_FOREVER);
        pair->turn = !side;
        wait_wake_one(&pair->sleepers[!side]);
    }
    spinlock_release(&pair->lock, state);
}

static void bench_pairs_first(void *pair)
{
    bench_pairs_hand_over(pair, 0);
}

static void bench_pairs_second(void *pair)
{
    bench_pairs_hand_over(pair, 1);
}

static bool bench_pairs_make(struct bench_pair *pair)
{
    static void (*const sides[])(void *) = {bench_pairs_first, bench_pairs_second};

    spinlock_init(&pair->lock, "bench pair");
    for (unsigned side = 0; side < 2; side++)
        wait_queue_init(&pair->sleepers[side]);
    for (unsigned side = 0; side < 2; side++)
        if (thread_create("bench", THREAD_PRIORITY_NORMAL, sides[side], pair,
                          &pair->threads[side]) != 0)
            return false;
    return true;
}

static void bench_pairs_start(struct bench_pair *pair, unsigned rounds)
{
    uintptr_t state = spinlock_acquire(&pair->lock);

    pair->started = true;
    pair->rounds = rounds;
    for (unsigned side = 0; side < 2; side++)
        wait_wake_one(&pair->sleepers[side]);
    spinlock_release(&pair->lock, state);
}

static void bench_pairs_join(struct bench_pair *pair)
{
    for (unsigned side = 0; side < 2; side++)
        if (pair->threads[side] != NULL)
            thread_join(pair->threads[side]);
}

static __attribute__((noinline)) void bench_pairs_play(struct bench_pair *pairs, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        bench_pairs_start(&pairs[i], BENCH_ROUNDS);
    for (uint64_t i = 0; i < count; i++)
        bench_pairs_join(&pairs[i]);
}

static __attribute__((noinline, noclone)) void bench_pairs_measure(struct bench_pair *pairs,
                                                                   uint64_t count)
{
    BENCH_PLACE("bench_pairs_begin");
    bench_pairs_play(pairs, count);
    BENCH_PLACE("bench_pairs_end");
}

int bench_pairs(const char *text, const char *where)
{
    bool pinned = strcmp(where, "pinned") == 0;
    struct bench_pair *pairs;
    uint64_t count, made = 0;

    if (options_number((char *[]){"bench"}, "number of pairs", text, 1, MOST, &count) != 0)
        return STATUS_USAGE;
    if (!pinned && strcmp(where, "wander") != 0)
        return command_usage("bench");
    pairs = kmem_zalloc(count * sizeof *pairs);
    while (pairs != NULL && made < count && bench_pairs_make(&pairs[made])) {
        for (unsigned side = 0; pinned && side < 2; side++)
            thread_set_affinity(pairs[made].threads[side], (cpu_set_t)1 << made % cpu_count());
        made++;
    }
    if (made == count) {
        thread_sleep(10 * 1000000); /* until all of them wait */
        bench_pairs_measure(pairs, count);
    } else {
        shell_printf("bench: no memory for so many threads\n");
        for (uint64_t i = 0; pairs != NULL && i < count; i++) {
            bench_pairs_start(&pairs[i], 0);
            bench_pairs_join(&pairs[i]);
        }
    }
    kmem_free(pairs);
    return made != count;
}
