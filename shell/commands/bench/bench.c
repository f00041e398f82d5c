/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench: runs what `make bench` measures from outside. The labels in the code are the places
 * between which an observer counts instructions; the command itself measures nothing.
 */
#include <sys/evcnt.h>
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/memory/kmem.h"
#include "kernel/thread/thread.h"
#include "kernel/thread/wait.h"
#include "lib/string.h"
#include "shell/commands/bench/bench.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"
#include "stats/evcnt/evcnt_export.h"

#define TICKS 50
#define BLOCK 1000 /* counters in one piece of memory */

static struct evcnt bench_ev = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "bench", "static");
EVCNT_ATTACH_STATIC(bench_ev);

static __attribute__((noinline, noclone)) void bench_evcnt(void)
{
    for (unsigned i = 0; i < BENCH_ROUNDS; i++) {
        BENCH_PLACE("bench_evcnt_begin");
        evcnt_incr(&bench_ev);
        BENCH_PLACE("bench_evcnt_end");
    }
}

static __attribute__((noinline, noclone)) void bench_dynamic(struct evcnt *ev)
{
    for (unsigned i = 0; i < BENCH_ROUNDS; i++) {
        BENCH_PLACE("bench_dynamic_begin");
        evcnt_incr(ev);
        BENCH_PLACE("bench_dynamic_end");
    }
}

static __attribute__((noinline, noclone)) void bench_read(const struct evcnt *ev)
{
    for (unsigned i = 0; i < BENCH_ROUNDS; i++) {
        BENCH_PLACE("bench_read_begin");
        evcnt_value(ev);
        BENCH_PLACE("bench_read_end");
    }
}

/* A counter outside the image is raised and read. */
static int bench_dynamic_counter(void)
{
    struct evcnt *ev = kmem_alloc(sizeof *ev);

    if (ev == NULL)
        return 1;
    evcnt_attach_dynamic(ev, EVCNT_TYPE_MISC, NULL, "bench", "dynamic");
    bench_dynamic(ev);
    bench_read(ev);
    evcnt_detach(ev);
    kmem_free(ev);
    return 0;
}

struct bed {
    struct wait_queue sleepers;
    struct spinlock lock;
    bool given_up; /* nobody will come any more; under the lock */
};

static __attribute__((noinline, noclone)) void bench_sleep(void *argument)
{
    struct bed *bed = argument;
    uintptr_t state = spinlock_acquire(&bed->lock);

    for (unsigned i = 0; i < BENCH_ROUNDS && !bed->given_up; i++) {
        wait_sleep(&bed->sleepers, &bed->lock, &state, WAIT_FOREVER);
        BENCH_PLACE("bench_woken");
    }
    spinlock_release(&bed->lock, state);
}

static bool bench_is_empty(struct bed *bed)
{
    uintptr_t state = spinlock_acquire(&bed->lock);
    bool empty = TAILQ_EMPTY(&bed->sleepers.threads);

    spinlock_release(&bed->lock, state);
    return empty;
}

static void bench_give_up(struct bed *bed)
{
    uintptr_t state = spinlock_acquire(&bed->lock);

    bed->given_up = true;
    spinlock_release(&bed->lock, state);
    wait_wake_one(&bed->sleepers);
}

static __attribute__((noinline, noclone)) void bench_wake(struct bed *bed)
{
    for (unsigned i = 0; i < BENCH_ROUNDS; i++) {
        if (shell_interrupted()) {
            bench_give_up(bed);
            break;
        }
        do /* and then its CPU halts */
            if (thread_sleep(1000000) != 0)
                thread_yield();
        while (bench_is_empty(bed));
        BENCH_PLACE("bench_wake_begin");
        wait_wake_one(&bed->sleepers);
        BENCH_PLACE("bench_wake_end");
    }
}

/* This thread stays on the first CPU, the one it wakes on the last. */
static int bench_wake_threads(void)
{
    uint32_t before = thread_affinity(thread_current());
    struct thread *other;
    struct bed bed;

    wait_queue_init(&bed.sleepers);
    spinlock_init(&bed.lock, "bench");
    bed.given_up = false;
    thread_set_affinity(thread_current(), 1u);
    if (thread_create("bench", THREAD_PRIORITY_NORMAL, bench_sleep, &bed, &other) != 0)
        return 1;
    thread_set_affinity(other, 1u << (cpu_count() - 1));
    bench_wake(&bed);
    thread_join(other);
    thread_set_affinity(thread_current(), before);
    return 0;
}

static __attribute__((noinline, noclone)) int bench_list(void)
{
    size_t size, capacity;
    void *buffer;
    int result;

    BENCH_PLACE("bench_list_begin");
    result = evcnt_export_alloc(EVCNT_TYPE_ANY, KERN_EVCNT_COUNT_ANY, &buffer, &size, &capacity);
    BENCH_PLACE("bench_list_end");
    if (result == 0)
        evcnt_export_free(buffer, capacity);
    return result;
}

/* Attaches COUNT counters, lists them, and detaches them. */
static int bench_list_counters(const char *text)
{
    struct evcnt **blocks;
    uint64_t count, made = 0;
    int result = 1;

    if (options_number((char *[]){"bench"}, "number of counters", text, BLOCK, 1000 * BLOCK,
                       &count) != 0)
        return STATUS_USAGE;
    count /= BLOCK;
    blocks = kmem_zalloc(count * sizeof(struct evcnt *));
    for (; blocks != NULL && made < count; made++) {
        blocks[made] = kmem_alloc(BLOCK * sizeof **blocks);
        if (blocks[made] == NULL)
            break;
        for (unsigned i = 0; i < BLOCK; i++)
            evcnt_attach_dynamic(&blocks[made][i], EVCNT_TYPE_MISC, NULL, "bench", "one of many");
    }
    if (blocks != NULL && made == count)
        result = bench_list();
    if (result != 0)
        shell_printf("bench: no memory for that many counters\n");
    while (made-- > 0) {
        for (unsigned i = BLOCK; i-- > 0;)
            evcnt_detach(&blocks[made][i]);
        kmem_free(blocks[made]);
    }
    kmem_free(blocks);
    return result != 0;
}

static const struct {
    const char *what;
    int (*run)(const char *count);
} counted[] = {
    {"idle", bench_idle},     {"kstat", bench_kstat},     {"list", bench_list_counters},
    {"taking", bench_taking}, {"threads", bench_threads}, {"timers", bench_timers},
};

static int bench_run(int argc, char **argv)
{
    const char *what = argc == 2 ? argv[1] : "";

    if (strcmp(what, "evcnt") == 0) {
        bench_evcnt();
        return bench_dynamic_counter();
    }
    if (strcmp(what, "wake") == 0)
        return bench_wake_threads();
    for (unsigned i = 0; argc == 3 && i < sizeof counted / sizeof *counted; i++)
        if (strcmp(argv[1], counted[i].what) == 0)
            return counted[i].run(argv[2]);
    if (argc == 3 && strcmp(argv[1], "pmc") == 0)
        return bench_pmc(argv[2], bench_switch);
    if (argc == 4 && strcmp(argv[1], "pairs") == 0)
        return bench_pairs(argv[2], argv[3]);
    if (argc == 4 && strcmp(argv[1], "read") == 0)
        return bench_disk(argv[2], argv[3]);
    if (strcmp(what, "switch") == 0)
        return bench_switch();
    if (strcmp(what, "block") == 0)
        return bench_block();
    if (strcmp(what, "preempt") == 0)
        return bench_preempt();
    if (strcmp(what, "timer") == 0) {
        uint64_t end = clock_now() + TICKS * CLOCK_TICK_NS;

        while (clock_now() < end && !shell_interrupted())
            ;
        return 0;
    }
    return command_usage(argv[0]);
}

COMMAND(
    bench, .name = "bench", .summary = "run what `make bench` measures",
    .usage = "bench WHAT [COUNT] | pairs COUNT wander|pinned | pmc WHAT | read DISK BYTES",
    .description =
        "For an observer outside the machine, who counts instructions between places in\n"
        "the code; see tools/bench. Prints nothing but what `kstat -p` prints.\n"
        "  block          200 times in each of two threads: one sleeps, the other goes on\n"
        "  evcnt          raise a static and a dynamic event counter 200 times, and read one\n"
        "  idle SECONDS   sleep for so long\n"
        "  kstat COUNT    create COUNT kstats, find, read and print them all; read a disk's\n"
        "  list COUNT     attach COUNT counters, in thousands, and list them once\n"
        "  pairs          COUNT pairs of threads, in each of which one wakes the other and\n"
        "                 sleeps until it is woken, 200 times each; `pinned`: a pair on a CPU,\n"
        "                 in turn\n"
        "  pmc            `read` a running counter 200 times; `switch` between threads that\n"
        "                 count\n"
        "  preempt        200 times: a thread wakes one of a higher priority\n"
        "  read           read BYTES of a disk 200 times\n"
        "  switch         200 switches between two threads\n"
        "  taking COUNT   while COUNT threads that count sleep, take their counter from them\n"
        "  threads COUNT  have COUNT threads sleep, and list them once\n"
        "  timer          keep the CPU busy for 50 ticks\n"
        "  timers COUNT   while COUNT timers are set, set one more and stop it, 200 times\n"
        "  wake           wake a thread on the last CPU 200 times\n"
        "\n"
        "Example: bench timer\n",
    .run = bench_run);
