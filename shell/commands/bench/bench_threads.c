/* SPDX-License-Identifier: BSD-2-Clause */
/* bench threads: what it costs to list many threads. bench idle: what CPUs do that have nothing to
 * do. */
#include "kernel/memory/kmem.h"
#include "kernel/thread/thread.h"
#include "shell/commands/bench/bench.h"
#include "shell/command.h"
#include "shell/commands/shared/thread_list.h"
#include "shell/options.h"
#include "shell/output.h"

#define MOST   20000
#define SECOND 1000000000ull

/* Sleeps until it is interrupted. */
static void bench_threads_sleep(void *unused)
{
    (void)unused;
    while (thread_sleep(3600 * SECOND) == 0)
        ;
}

static __attribute__((noinline, noclone)) int bench_threads_list(void)
{
    struct thread_list list;
    int result;

    BENCH_PLACE("bench_threads_begin");
    result = thread_list_take(&list, "bench");
    BENCH_PLACE("bench_threads_end");
    if (result == 0)
        thread_list_free(&list);
    return result;
}

int bench_threads_beside(const char *text, int (*measure)(void))
{
    struct thread **threads;
    uint64_t count, made = 0;
    int result = 1;

    if (options_number((char *[]){"bench"}, "number of threads", text, 1, MOST, &count) != 0)
        return STATUS_USAGE;
    threads = kmem_alloc(count * sizeof(struct thread *));
    while (threads != NULL && made < count &&
           thread_create("bench", THREAD_PRIORITY_NORMAL, bench_threads_sleep, NULL,
                         &threads[made]) == 0)
        made++;
    thread_sleep(SECOND / 10); /* until all of them do */
    if (made == count)
        result = measure() != 0;
    else
        shell_printf("bench: no memory for so many threads\n");
    for (uint64_t i = 0; i < made; i++) {
        thread_interrupt(threads[i]);
        thread_join(threads[i]);
    }
    kmem_free(threads);
    return result;
}

int bench_threads(const char *count)
{
    return bench_threads_beside(count, bench_threads_list);
}

static __attribute__((noinline, noclone)) void bench_idle_sleep(uint64_t seconds)
{
    BENCH_PLACE("bench_idle_begin");
    thread_sleep(seconds * SECOND);
    BENCH_PLACE("bench_idle_end");
}

int bench_idle(const char *text)
{
    uint64_t seconds;

    if (options_number((char *[]){"bench"}, "seconds", text, 1, 3600, &seconds) != 0)
        return STATUS_USAGE;
    bench_idle_sleep(seconds);
    return 0;
}
