/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmc(9) with the kernel's own counts, which every machine has: threads' switches, which each
 * thread also counts itself, on whatever CPUs they run; children, and errors.
 */
#include <sys/pmc.h>
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/preempt.h"
#include "kernel/device/late.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "stats/pmc/pmu_class.h"

#define SWITCHES 0x10000u /* event context-switches */
#define ROUNDS   1000u

static int counter; /* the first of class soft */

static int find(void)
{
    const struct pmu_class *class;

    late_start();
    for (unsigned i = 0; (class = pmu_class_at(i, &counter)) != NULL; i++)
        if (class->type == PMC_TYPE_SOFT)
            return 0;
    return 1;
}

static uint64_t value(int flags)
{
    uint64_t count = 0;

    (void)pmc_get_counter_value(curlwp, counter, flags, &count);
    return count;
}

struct part {
    uint64_t counted, is;
    int error;
};

/* It has inherited the counter, and been switched to once or more before it looks. */
static void pmc_soft_take_turns(void *argument)
{
    struct part *part = argument;
    struct thread *self = thread_current();
    uint64_t switches;

    preempt_disable();
    part->counted = value(0);
    switches = self->switches;
    preempt_enable();
    part->error = pmc_counter_isrunning(curlwp, counter) != 1;
    for (unsigned i = 0; i < ROUNDS; i++)
        thread_yield();
    thread_sleep(1000000);
    preempt_disable();
    part->counted = value(0) - part->counted;
    part->is = self->switches - switches;
    preempt_enable();
}

static int two_threads(struct part *parts)
{
    struct thread *threads[2];

    for (unsigned i = 0; i < 2; i++)
        SELFTEST_EQUAL(thread_create("turns", THREAD_PRIORITY_NORMAL, pmc_soft_take_turns,
                                     &parts[i], &threads[i]),
                       0);
    for (unsigned i = 0; i < 2; i++)
        thread_join(threads[i]);
    return 0;
}

static int compare(void)
{
    struct part parts[2];
    uint64_t whole = 0, sum;

    if (two_threads(parts) != 0)
        return 1;
    sum = parts[0].counted + parts[1].counted;
    for (unsigned i = 0; i < 2; i++) {
        SELFTEST_EQUAL(parts[i].error, 0);
        SELFTEST_EQUAL(parts[i].counted, parts[i].is);
    }
    SELFTEST_EQUAL(pmc_get_counter_value(NULL, counter + 1, 0, &whole), 0);
    SELFTEST_CHECK(value(PMC_VALUE_FLAGS_CHILDREN) >= sum);
    SELFTEST_CHECK(whole >= value(PMC_VALUE_FLAGS_CHILDREN) + value(0));
    return 0;
}

SELFTEST_COUNTERS(pmc_soft, "pmc-soft",
                  "threads inherit a counter and count their own switches, wherever")
{
    struct pmc_counter_cfg cfg = {SWITCHES, 0, 0};
    int result;

    SELFTEST_EQUAL(find(), 0);
    SELFTEST_EQUAL(pmc_alloc_kernel_counter(counter + 1, &cfg), 0);
    SELFTEST_EQUAL(pmc_configure_counter(curlwp, counter + 1, &cfg), EBUSY);
    SELFTEST_EQUAL(pmc_enable_counter(curlwp, counter), ENXIO);
    SELFTEST_EQUAL(pmc_configure_counter(curlwp, counter, &cfg), 0);
    SELFTEST_EQUAL(pmc_alloc_kernel_counter(counter, &cfg), EBUSY);
    SELFTEST_EQUAL(pmc_enable_counter(curlwp, counter), 0);
    result = compare();
    SELFTEST_EQUAL(pmc_release_counter(curlwp, counter), 0);
    SELFTEST_EQUAL(pmc_free_kernel_counter(counter + 1), 0);
    SELFTEST_EQUAL(PMC_ENABLED(curlwp), 0);
    return result;
}

static volatile bool stop;

static void spin(void *unused)
{
    (void)unused;
    while (!stop)
        thread_yield();
}

/* The other thread runs, on another CPU if there is one, all the time. */
SELFTEST_COUNTERS(pmc_other, "pmc-other", "a thread that runs elsewhere is configured and read")
{
    struct pmc_counter_cfg cfg = {SWITCHES, 0, 0};
    struct thread *other;
    uint64_t count, before = 0;

    SELFTEST_EQUAL(find(), 0);
    stop = false;
    SELFTEST_EQUAL(thread_create("spin", THREAD_PRIORITY_NORMAL, spin, NULL, &other), 0);
    for (unsigned i = 0; i < 100 / cpu_count(); i++) { /* the other CPU is called each time */
        SELFTEST_EQUAL(pmc_configure_counter(&other->lwp, counter, &cfg), 0);
        SELFTEST_EQUAL(pmc_get_counter_value(&other->lwp, counter, 0, &count), 0);
        SELFTEST_EQUAL(count, 0);
        SELFTEST_EQUAL(pmc_enable_counter(&other->lwp, counter), 0);
        for (unsigned turn = 0; turn < 20; turn++) {
            thread_yield();
            SELFTEST_EQUAL(pmc_get_counter_value(&other->lwp, counter, 0, &count), 0);
            SELFTEST_CHECK(turn == 0 || count >= before);
            before = count;
        }
        SELFTEST_EQUAL(pmc_disable_counter(&other->lwp, counter), 0);
        SELFTEST_EQUAL(pmc_get_counter_value(&other->lwp, counter, 0, &before), 0);
        thread_yield();
        SELFTEST_EQUAL(pmc_get_counter_value(&other->lwp, counter, 0, &count), 0);
        SELFTEST_EQUAL(count, before);
        before = 0;
    }
    stop = true;
    thread_join(other);
    return 0;
}

static volatile bool go;

static void count_some(void *unused)
{
    struct pmc_counter_cfg cfg = {SWITCHES, 0, 0};

    (void)unused;
    while (!go)
        thread_yield();
    if (pmc_configure_counter(curlwp, counter, &cfg) == 0)
        pmc_enable_counter(curlwp, counter);
    for (unsigned i = 0; i < 3; i++)
        thread_sleep(1000);
}

/* Counts nothing, and ends before its child does. */
static void middle(void *child)
{
    thread_create("child", THREAD_PRIORITY_NORMAL, count_some, NULL, child);
}

SELFTEST_COUNTERS(pmc_heirs, "pmc-heirs",
                  "a thread whose parent has ended without counting adds to that one's")
{
    struct pmc_counter_cfg cfg = {SWITCHES, 0, 0};
    struct thread *parent, *child = NULL;
    uint64_t counted;

    SELFTEST_EQUAL(find(), 0);
    go = false;
    SELFTEST_EQUAL(thread_create("middle", THREAD_PRIORITY_NORMAL, middle, &child, &parent), 0);
    thread_join(parent);
    SELFTEST_CHECK(child != NULL);
    SELFTEST_EQUAL(pmc_configure_counter(curlwp, counter, &cfg), 0);
    go = true;
    thread_join(child);
    counted = value(PMC_VALUE_FLAGS_CHILDREN);
    SELFTEST_EQUAL(pmc_release_counter(curlwp, counter), 0);
    SELFTEST_CHECK(counted >= 3);
    return 0;
}
