/* SPDX-License-Identifier: BSD-2-Clause */
/* unix:0:threads: the states and switches of all threads, added up here from the same list. */
#include <kstat.h>
#include "kernel/cpu/cpu.h"
#include "kernel/device/late.h"
#include "kernel/thread/thread.h"
#include "lib/string.h"
#include "tests/kernel/selftest.h"

#define THREADS  64u
#define ATTEMPTS 1000u
#define SLEEPERS 3u

static const char *const names[] = {"total",     "running",     "ready",     "sleeping",
                                    "voluntary", "involuntary", "migrations"};
enum { NAMES = sizeof names / sizeof *names };
static struct thread_info list[THREADS];

static bool kstat_threads_sum(uint64_t sum[NAMES])
{
    size_t count = thread_snapshot(list, THREADS);

    memset(sum, 0, NAMES * sizeof *sum);
    for (size_t i = 0; i < count && count <= THREADS; i++) {
        sum[0] += 1;
        sum[1] += list[i].state == 'R';
        sum[2] += list[i].state == 'r';
        sum[3] += list[i].state == 'S';
        sum[4] += list[i].voluntary;
        sum[5] += list[i].involuntary;
        sum[6] += list[i].migrations;
    }
    return count <= THREADS;
}

/* What nobody changed between two sums is the kstat's in between. */
static int kstat_threads_look(kstat_ctl_t *kc, kstat_t *ksp)
{
    uint64_t before[NAMES], after[NAMES];

    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (!kstat_threads_sum(before))
            return selftest_skip("more than %u threads", THREADS);
        SELFTEST_CHECK(kstat_read(kc, ksp, NULL) != -1);
        if (!kstat_threads_sum(after))
            return selftest_skip("more than %u threads", THREADS);
        if (memcmp(before, after, sizeof before) != 0)
            continue;
        for (unsigned i = 0; i < NAMES; i++) {
            kstat_named_t *named = kstat_data_lookup(ksp, names[i]);

            SELFTEST_CHECK(named != NULL);
            if (named->value.ui64 != before[i])
                return selftest_fail("%s: %lu, not %lu", names[i], (unsigned long)named->value.ui64,
                                     (unsigned long)before[i]);
        }
        SELFTEST_CHECK(before[1] > 0 && before[3] >= SLEEPERS && before[4] > 0);
        if (cpu_count() == 1) /* who spins is ready, and was interrupted */
            SELFTEST_CHECK(before[2] > 0 && before[5] > 0);
        return 0;
    }
    return selftest_fail("threads switch all the time");
}

static volatile bool kstat_threads_over;

static void kstat_threads_sleep(void *unused)
{
    (void)unused;
    while (!kstat_threads_over)
        thread_sleep(100000000);
}

static void kstat_threads_spin(void *unused)
{
    (void)unused;
    while (!kstat_threads_over)
        cpu_relax();
}

SELFTEST(kstat_threads, "kstat-threads", "threads by state, and their switches, are their sums")
{
    struct thread *threads[SLEEPERS + 1];
    kstat_ctl_t *kc;
    kstat_t *ksp;
    int result = 1;

    late_start();
    kstat_threads_over = false;
    for (unsigned i = 0; i <= SLEEPERS; i++)
        SELFTEST_EQUAL(thread_create("kstat-threads", THREAD_PRIORITY_NORMAL,
                                     i == 0 ? kstat_threads_spin : kstat_threads_sleep, NULL,
                                     &threads[i]),
                       0);
    thread_sleep(30000000); /* in which who spins is interrupted */
    kc = kstat_open();
    ksp = kc ? kstat_lookup(kc, "unix", 0, "threads") : NULL;
    if (ksp)
        result = kstat_threads_look(kc, ksp);
    if (kc)
        kstat_close(kc);
    kstat_threads_over = true;
    for (unsigned i = 0; i <= SLEEPERS; i++)
        thread_join(threads[i]);
    return result;
}
