/* SPDX-License-Identifier: BSD-2-Clause */
/* Self-tests of devstat in the running kernel: exact on all CPUs, and what a reader sees. */
#include <devstat.h>
#include "kernel/time/clock.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "lib/string.h"
#include "stats/read/devstat_compute.h"

#define WORKERS 4
#define ROUNDS  2000

static struct devstat ds;

static void devstat_work(void *argument)
{
    (void)argument;
    for (unsigned round = 0; round < ROUNDS; round++) {
        devstat_start_transaction(&ds);
        devstat_end_transaction(&ds, 512, DEVSTAT_TAG_SIMPLE, DEVSTAT_WRITE);
    }
}

static void add(void)
{
    memset(&ds, 0, sizeof ds);
    devstat_add_entry(&ds, "selftest", 0, 512, DEVSTAT_ALL_SUPPORTED, DEVSTAT_TYPE_DIRECT,
                      DEVSTAT_PRIORITY_MAX);
}

static int check_crowd(unsigned started)
{
    SELFTEST_EQUAL(started, WORKERS);
    SELFTEST_EQUAL(ds.num_writes, WORKERS * ROUNDS);
    SELFTEST_EQUAL(ds.bytes_written, 512ul * WORKERS * ROUNDS);
    SELFTEST_EQUAL(ds.tag_types[DEVSTAT_TAG_SIMPLE], WORKERS * ROUNDS);
    SELFTEST_EQUAL(ds.busy_count, 0);
    SELFTEST_EQUAL(ds.unmatched_ends, 0);
    SELFTEST_EQUAL(ds.sequence0, 2ul * WORKERS * ROUNDS);
    SELFTEST_EQUAL(ds.sequence1, 2ul * WORKERS * ROUNDS);
    return 0;
}

SELFTEST(devstat_crowd, "devstat-crowd", "threads on all CPUs share a device: nothing is lost")
{
    struct thread *threads[WORKERS];
    unsigned started = 0;

    add();
    while (started < WORKERS && thread_create("devstat", THREAD_PRIORITY_NORMAL, devstat_work, NULL,
                                              &threads[started]) == 0)
        started++;
    for (unsigned at = 0; at < started; at++)
        thread_join(threads[at]);
    devstat_remove_entry(&ds);
    return check_crowd(started);
}

static int check_reader(const struct statinfo *stats, uint64_t began)
{
    const struct devstat *first = &stats->dinfo->devices[0];

    SELFTEST_CHECK(stats->dinfo->numdevs >= 1);
    SELFTEST_CHECK(strcmp(first->device_name, "selftest") == 0); /* no other is as urgent */
    SELFTEST_EQUAL(first->busy_count, 1);
    SELFTEST_EQUAL(first->start_ns, began);
    SELFTEST_EQUAL(first->duration_ns[DEVSTAT_READ], 1000);
    SELFTEST_EQUAL(devstat_metric_scaled(first, NULL, 1, DSM_TOTAL_BLOCKS_READ, 0), 8);
    return 0;
}

SELFTEST(devstat_reader, "devstat-reader", "kern.devstat.all: the generation, then the records")
{
    struct devinfo info = {.numdevs = 0};
    struct statinfo stats = {.dinfo = &info};
    uint64_t began = clock_now();
    long generation = devstat_generation();
    int error, result = 1;

    add();
    devstat_start_transaction_at(&ds, began - 1000);
    devstat_end_transaction_at(&ds, 4096, DEVSTAT_TAG_NONE, DEVSTAT_READ, began, began - 1000);
    devstat_start_transaction_at(&ds, began);
    error = devstat_getdevs(NULL, &stats);
    if (error >= 0)
        result = check_reader(&stats, began);
    devstat_freedevs(&info);
    devstat_remove_entry(&ds);
    SELFTEST_CHECK(error >= 0);
    SELFTEST_EQUAL(devstat_generation(), generation + 2);
    return result;
}
