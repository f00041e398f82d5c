/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a command and reports what it counted, see pmc_stat_run.h; the report is
 * stats/read/pmc_stat.c's.
 */
#include "shell/commands/pmc/pmc_stat_run.h"

#include <stdbool.h>
#include <sys/pmc.h>
#include "kernel/time/clock.h"
#include "kernel/memory/kmem.h"
#include "kernel/pmc/pmu_set.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"
#include "shell/commands/pmc/pmc_events.h"
#include "shell/commands/pmc/pmc_interval.h"
#include "shell/commands/pmc/pmc_stat_counts.h"
#include "stats/read/pmc_stat.h"

#define RUNS_MAX    10000
#define LINE_BYTES  96
#define MILLISECOND 1000000u
#define SLICES_ANY  PMU_SLICES_MAX
#define STANDARD                                                                                   \
    "task-clock,context-switches,cpu-migrations,cycles,instructions,branches,branch-misses"

/* One `pmc stat`. */
struct stat_job {
    const char *name;
    struct pmc_events events;
    uint64_t runs, interval_ms;
    const char *separator; /* NULL: a table */
    bool stopped;          /* a run was interrupted */
    int argc;              /* of the command */
    char **argv;
    char line[LINE_BYTES]; /* its words; it may change them */
    struct pmc_stat_sum sums[PMU_EVENTS_MAX], elapsed;
    uint64_t enabled[PMU_EVENTS_MAX], ran[PMU_EVENTS_MAX], user_ns, system_ns;
    struct pmu_set_values values;
    struct pmc_stat_count counts[PMU_EVENTS_MAX];
};

static void pmc_stat_run_join_words(char *line, size_t size, int argc, char **argv)
{
    size_t used = 0;

    line[0] = '\0';
    for (int i = 0; i < argc && used < size; i++) {
        if (i > 0)
            used += strlcpy(line + used, " ", size - used);
        if (used < size)
            used += strlcpy(line + used, argv[i], size - used);
    }
}

/* One run of the command, added to the sums. *COUNTED: false if it could not be; that was told. */
static int run_once(struct stat_job *job, struct pmc_interval *interval, bool *counted)
{
    struct pmu_refusal refusal;
    struct pmu_set *set;
    unsigned bad;
    uint64_t start;
    int error, status;

    start = clock_now(); /* before, so that the task clock is within it */
    error =
        pmu_set_start(&set, job->events.list, job->events.count, &job->events.plan, &bad, &refusal);
    *counted = error == 0;
    if (error != 0)
        return pmc_events_refused_by(job->name, job->events.list[bad].text, error, &refusal);
    if (interval != NULL)
        pmc_interval_begin(interval, set, start);
    status = command_run(job->argc, job->argv);
    pmu_set_stop(set);
    pmc_stat_sum_add(&job->elapsed, clock_now() - start);
    job->stopped = shell_interrupt_aside();
    if (interval != NULL)
        pmc_interval_end(interval);
    (void)pmu_set_read(set, &job->values);
    pmu_set_free(set);
    pmc_events_lost(job->name, &job->events, job->values.lost);
    pmc_stat_counts(&job->events, &job->values, job->counts);
    for (unsigned e = 0; e < job->events.count; e++) {
        if (job->counts[e].state == PMC_STAT_COUNTED)
            pmc_stat_sum_add(&job->sums[e], job->counts[e].value);
        job->enabled[e] += job->values.event[e].enabled_ns;
        job->ran[e] += job->values.event[e].ran_ns;
    }
    job->user_ns += job->values.user_ns;
    job->system_ns += job->values.system_ns;
    return status;
}

/* The sums of all runs as the figures of one. */
static void pmc_stat_run_average(struct stat_job *job)
{
    for (unsigned e = 0; e < job->events.count; e++) {
        struct pmc_stat_count *count = &job->counts[e];

        if (job->sums[e].runs == 0)
            continue;
        count->state = PMC_STAT_COUNTED;
        count->value = pmc_stat_sum_mean(&job->sums[e]);
        count->spread = pmc_stat_sum_spread(&job->sums[e]);
        count->run_ns = job->ran[e] / job->elapsed.runs;
        count->running = job->ran[e] == job->enabled[e]
                             ? PMC_STAT_WHOLE
                             : pmc_stat_scale(PMC_STAT_WHOLE, job->ran[e], job->enabled[e]);
    }
}

static void pmc_stat_run_report(struct stat_job *job)
{
    struct shell_gather gather = {.used = 0};
    struct pmc_stat_report report = {
        .command = job->line,
        .runs = (unsigned)job->elapsed.runs,
        .elapsed_ns = pmc_stat_sum_mean(&job->elapsed),
        .elapsed_error = pmc_stat_sum_error(&job->elapsed),
        .user_ns = job->user_ns,
        .system_ns = job->system_ns,
        .count = job->events.count,
        .counts = job->counts,
    };

    pmc_stat_run_average(job);
    if (job->separator != NULL)
        pmc_stat_print_fields(&report, job->separator, shell_gather_put, &gather);
    else
        pmc_stat_print(&report, shell_gather_put, &gather);
    shell_gather_flush(&gather);
}

/* What was counted until then has been told. */
static int pmc_stat_run_give_back_interrupt(const struct stat_job *job, int status)
{
    if (job->stopped)
        shell_interrupt_again();
    return shell_interrupted() ? STATUS_INTERRUPTED : status;
}

static int run_all(struct stat_job *job)
{
    struct pmc_interval *interval = NULL;
    bool counted = true;
    int status = 0;

    if (job->interval_ms > 0) {
        interval =
            pmc_interval_create(&job->events, job->interval_ms * MILLISECOND, job->separator);
        if (interval == NULL)
            return pmc_events_refused(job->name, "-I", ENOMEM);
    }
    for (uint64_t run = 0; run < job->runs && counted && !job->stopped; run++)
        status = run_once(job, interval, &counted);
    if (interval != NULL)
        pmc_interval_free(interval);
    else if (counted)
        pmc_stat_run_report(job);
    return pmc_stat_run_give_back_interrupt(job, status);
}

/* 0, or a status: there is no such command, or it is counted by another already. */
static int pmc_stat_run_check_command(const struct stat_job *job)
{
    if (!command_known(job->argv[0]))
        return STATUS_NOT_FOUND;
    if (curlwp->l_pmc_set != NULL) {
        shell_printf("%s: this thread is counted by another pmc stat (EBUSY)\n", job->name);
        return 1;
    }
    return 0;
}

/* 0, or a status: the words were wrong. */
static int pmc_stat_run_read_words(struct stat_job *job, int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "aCe:r:x:I:"};
    int option, status = 0;

    job->name = argv[0];
    job->runs = 1;
    while (status == 0 && (option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        if (option == 'a' || option == 'C') /* perf's */
            return pmc_events_usage(argv[0], "stat counts threads; for every CPU see pmc start");
        if (option == 'e')
            status = pmc_events_add(argv[0], options.value, false, &job->events);
        if (option == 'r')
            status = options_number(argv, "count", options.value, 1, RUNS_MAX, &job->runs);
        if (option == 'x') {
            job->separator = options.value;
            if (options.value[0] == '\0') {
                shell_printf("%s: no separator behind -x (EINVAL)\n", argv[0]);
                status = STATUS_USAGE;
            }
        }
        if (option == 'I')
            status =
                options_number(argv, "interval", options.value, 1, 86400000, &job->interval_ms);
    }
    if (status != 0)
        return status;
    if (job->interval_ms > 0 && job->runs > 1)
        return pmc_events_usage(argv[0], "-r and -I do not go together");
    if (options.index >= argc)
        return pmc_events_usage(argv[0], "no command");
    job->argc = argc - options.index;
    job->argv = argv + options.index;
    status = pmc_stat_run_check_command(job);
    if (status != 0)
        return status;
    return job->events.count > 0 ? 0 : pmc_events_read(argv[0], STANDARD, &job->events);
}

int pmc_stat_run(int argc, char **argv)
{
    struct stat_job *job;
    int status;

    pmc_events_ready();
    job = kmem_zalloc(sizeof *job);
    if (job == NULL)
        return pmc_events_refused(argv[0], "stat", ENOMEM);
    status = pmc_stat_run_read_words(job, argc, argv);
    if (status == 0)
        status = pmc_events_plan(argv[0], &job->events, SLICES_ANY);
    if (status == 0) {
        pmc_stat_run_join_words(job->line, sizeof job->line, job->argc, job->argv);
        status = run_all(job);
    }
    kmem_free(job);
    return status;
}

/* The event once in user mode and once in the kernel, or once in all where that cannot be told
 * apart or only one counter can hold it. */
static int pmc_stat_run_read_old(struct stat_job *job, const char *event)
{
    struct pmu_event_request *list = job->events.list;
    uint32_t modes;
    int status = pmc_events_add(job->name, event, false, &job->events);

    if (status == 0 && job->events.count != 1)
        return pmc_events_usage(job->name, "-c takes one event");
    if (status == 0)
        status = pmc_events_supported(job->name, &job->events);
    if (status != 0)
        return status;
    if (list[0].kind == PMU_EVENT_COUNTED && list[0].modes == 0 && list[0].counter < 0) {
        modes = list[0].class->modes;
        list[1] = list[0];
        list[0].modes = modes & PMC_MODE_U;
        list[1].modes = modes & (PMC_MODE_K | PMC_MODE_EXL);
        job->events.count = list[0].modes != 0 && list[1].modes != 0 ? 2 : 1;
        if (job->events.count == 2 &&
            pmu_plan_make(&job->events.plan, list, 2, pmu_set_free_counters()) < 0 &&
            job->events.plan.slices == 1)
            return 0;
        list[0].modes = 0;
        job->events.count = 1;
    }
    return pmc_events_plan(job->name, &job->events, 1);
}

int pmc_stat_old(const char *name, const char *event, int argc, char **argv)
{
    struct stat_job *job;
    bool counted;
    int status;

    pmc_events_ready();
    job = kmem_zalloc(sizeof *job);
    if (job == NULL)
        return pmc_events_refused(name, event, ENOMEM);
    *job = (struct stat_job){.name = name, .argc = argc, .argv = argv};
    status = pmc_stat_run_check_command(job);
    if (status == 0)
        status = pmc_stat_run_read_old(job, event);
    if (status == 0) {
        status = run_once(job, NULL, &counted);
        if (counted && job->events.count == 2)
            shell_printf("%s: user %llu kernel %llu\n", event,
                         (unsigned long long)job->counts[0].value,
                         (unsigned long long)job->counts[1].value);
        else if (counted)
            shell_printf("%s: total %llu\n", event, (unsigned long long)job->counts[0].value);
        status = pmc_stat_run_give_back_interrupt(job, status);
    }
    kmem_free(job);
    return status;
}
