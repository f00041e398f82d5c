/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports of intervals: see pmc_interval.h. A thread prints them while the command runs. */
#include "shell/commands/pmc/pmc_interval.h"
#include "shell/commands/pmc/pmc_stat_counts.h"

#include <arch/cpu.h>
#include <stdbool.h>
#include "kernel/time/clock.h"
#include "kernel/memory/kmem.h"
#include "kernel/thread/thread.h"
#include "kernel/thread/wait.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "shell/output.h"

struct pmc_interval {
    const struct pmc_events *events;
    const char *separator;
    uint64_t length;
    struct thread *thread;
    struct spinlock lock;
    struct wait_queue changed;
    struct pmu_set *set; /* NULL before it begins; lock, as the others */
    bool ending;
    bool over;               /* all was told; as the times */
    uint64_t start, printed; /* until when it was told */
    struct pmu_set_values before, now, difference;
    struct pmc_stat_count counts[PMU_EVENTS_MAX];
    struct shell_output *output; /* where the command prints */
};

/* What has come since the last time; nothing once all was told. By the interval's thread; after
 * its end by the caller. */
static void pmc_interval_print(struct pmc_interval *interval)
{
    uint64_t time = pmu_set_read(interval->set, &interval->now);
    struct shell_gather gather = {.used = 0};
    struct pmc_stat_report report = {
        .runs = 1,
        .elapsed_ns = time - interval->printed,
        .count = interval->events->count,
        .counts = interval->counts,
    };

    if (interval->over)
        return;
    interval->over = interval->now.over;
    for (unsigned e = 0; e < interval->events->count; e++) {
        const struct pmu_set_value *now = &interval->now.event[e];
        const struct pmu_set_value *before = &interval->before.event[e];

        interval->difference.event[e] = (struct pmu_set_value){
            now->count - before->count,
            now->enabled_ns - before->enabled_ns,
            now->ran_ns - before->ran_ns,
        };
    }
    interval->before = interval->now;
    interval->printed = time;
    pmc_stat_counts(interval->events, &interval->difference, interval->counts);
    pmc_stat_print_interval(&report, time - interval->start, interval->separator, shell_gather_put,
                            &gather);
    shell_gather_flush(&gather);
}

/* Until DEADLINE, or the end; whether it is the end. */
static bool pmc_interval_sleep_until(struct pmc_interval *interval, uint64_t deadline)
{
    uintptr_t state = spinlock_acquire(&interval->lock);
    bool ending;

    while (!interval->ending && (interval->set == NULL || clock_now() < deadline))
        (void)wait_sleep(&interval->changed, &interval->lock, &state,
                         interval->set == NULL ? WAIT_FOREVER : deadline);
    ending = interval->ending;
    spinlock_release(&interval->lock, state);
    return ending;
}

static void pmc_interval_run(void *argument)
{
    struct pmc_interval *interval = argument;
    uint64_t deadline = 0;

    shell_output_use(interval->output);
    while (!pmc_interval_sleep_until(interval, deadline)) {
        if (deadline != 0)
            pmc_interval_print(interval);
        else
            deadline = interval->start;
        while (deadline <= clock_now())
            deadline += interval->length;
    }
}

struct pmc_interval *pmc_interval_create(const struct pmc_events *events, uint64_t length_ns,
                                         const char *separator)
{
    struct pmc_interval *interval = kmem_zalloc(sizeof *interval);
    struct shell_gather gather = {.used = 0};

    if (interval == NULL)
        return NULL;
    interval->events = events;
    interval->separator = separator;
    interval->length = length_ns;
    interval->output = shell_output();
    spinlock_init(&interval->lock, "pmc interval");
    wait_queue_init(&interval->changed);
    if (thread_create("pmc stat", THREAD_PRIORITY_HIGH, pmc_interval_run, interval,
                      &interval->thread) != 0) {
        kmem_free(interval);
        return NULL;
    }
    if (separator == NULL)
        pmc_stat_print_interval_heading(shell_gather_put, &gather);
    shell_gather_flush(&gather);
    return interval;
}

void pmc_interval_begin(struct pmc_interval *interval, struct pmu_set *set, uint64_t start)
{
    uintptr_t state = spinlock_acquire(&interval->lock);

    interval->start = interval->printed = start;
    interval->set = set;
    wait_wake_all(&interval->changed);
    spinlock_release(&interval->lock, state);
    cpu_relax(); /* an emulator that runs one CPU at a time goes on to the one that was woken */
}

static void pmc_interval_finish(struct pmc_interval *interval)
{
    uintptr_t state = spinlock_acquire(&interval->lock);

    interval->ending = true;
    wait_wake_all(&interval->changed);
    spinlock_release(&interval->lock, state);
    thread_join(interval->thread);
}

void pmc_interval_end(struct pmc_interval *interval)
{
    pmc_interval_finish(interval);
    interval->thread = NULL;
    pmc_interval_print(interval);
}

void pmc_interval_free(struct pmc_interval *interval)
{
    if (interval->thread != NULL)
        pmc_interval_finish(interval);
    kmem_free(interval);
}
