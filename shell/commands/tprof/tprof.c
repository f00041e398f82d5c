/* SPDX-License-Identifier: BSD-2-Clause */
/* tprof: where events happen: samples of the whole system while a command runs, or live. */
#include "kernel/time/clock.h"
#include "kernel/memory/kmem.h"
#include "kernel/pmc/pmc_profile.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/live.h"
#include "shell/options.h"
#include "shell/output.h"
#include "shell/commands/pmc/pmc_events.h"
#include "shell/commands/pmc/pmc_list.h"
#include "shell/commands/tprof/tprof_report.h"

#define SECOND        1000000000ull
#define PERIOD_OFTEN  100000 /* of what happens at nearly every instruction */
#define PERIOD_SELDOM 1000
#define PERIOD_LEAST  100 /* of what happens that often */
#define TOP_ROWS      16

static int tprof_run_list(int argc, char **argv)
{
    if (options_none(argc, argv) != 0)
        return STATUS_USAGE;
    pmc_events_ready();
    pmc_list_print(true);
    return 0;
}

static uint64_t tprof_usual_period(const struct pmu_event_request *event)
{
    if (event->kind == PMU_EVENT_CLOCK)
        return PMC_CLOCK_PERIOD;
    return event->role == PMC_STAT_CYCLES || event->role == PMC_STAT_INSTRUCTIONS ? PERIOD_OFTEN
                                                                                  : PERIOD_SELDOM;
}

/* Whether a few hundred of it happen while a sample is taken. */
static bool tprof_is_frequent(const struct pmu_event_request *event)
{
    return event->role == PMC_STAT_CYCLES || event->role == PMC_STAT_INSTRUCTIONS ||
           event->role == PMC_STAT_BRANCHES || event->role == PMC_STAT_CONDITIONAL;
}

/* The cycles if a PMU tells where they overflow; where that is looked at once in a tick, the clock
 * tells more. */
static int tprof_add_usual(const char *name, struct pmc_events *events)
{
    const struct pmu_event_request *cycles = &events->list[0];
    int status = pmc_events_add(name, "cycles", true, events);

    if (status == 0 && cycles->choice_count > 0 &&
        cycles->class->capabilities & PMU_CAN_INTERRUPT &&
        !(cycles->class->capabilities & PMU_VIRTUAL))
        return 0;
    events->count = 0;
    return pmc_events_add(name, "cpu-clock", true, events);
}

/* All can be sampled, each has a period, and a counter. */
static int tprof_prepare(const char *name, struct pmc_events *events)
{
    int status = 0;

    if (events->count == 0)
        status = tprof_add_usual(name, events);
    if (status == 0)
        status = pmc_events_supported(name, events);
    for (unsigned e = 0; status == 0 && e < events->count; e++) {
        struct pmu_event_request *event = &events->list[e];

        if (event->kind == PMU_EVENT_MIGRATIONS || strncmp(event->text, "task-clock", 10) == 0 ||
            (event->kind == PMU_EVENT_COUNTED &&
             !(event->class->capabilities & PMU_CAN_INTERRUPT))) {
            shell_printf("%s: %s: cannot be sampled (ENODEV)\n", name, event->text);
            return 1;
        }
        if (event->period == 0)
            event->period = tprof_usual_period(event);
        if (event->period < PERIOD_LEAST && tprof_is_frequent(event)) {
            shell_printf("%s: %s: a period below %u would leave no time for anything else "
                         "(EINVAL)\n",
                         name, event->text, PERIOD_LEAST);
            return STATUS_USAGE;
        }
        for (unsigned other = 0; event->kind == PMU_EVENT_CLOCK && other < e; other++)
            if (events->list[other].kind == PMU_EVENT_CLOCK)
                return pmc_events_refused(name, event->text, EBUSY);
    }
    return status != 0 ? status : pmc_events_plan(name, events, 1);
}

static int tprof_add_event(const char *name, const char *text, struct pmc_events *events)
{
    if (events->count == PMC_SAMPLE_EVENTS)
        return pmc_events_refused(name, text, E2BIG);
    return pmc_events_add(name, text, true, events);
}

static int tprof_start(const char *name, const struct pmc_events *events, bool chains, bool cpus)
{
    struct pmu_refusal refusal;
    unsigned bad;
    int error =
        pmc_profile_start(events->list, events->count, &events->plan, chains, cpus, &bad, &refusal);

    if (error == 0)
        return 0;
    return pmc_events_refused_by(name, events->list[bad < events->count ? bad : 0].text, error,
                                 &refusal);
}

struct monitor {
    bool chains, cpus;
    bool stacks_only;
};

static int tprof_monitor(const char *name, struct pmc_events *events, const struct monitor *how,
                         int argc, char **argv)
{
    int status = tprof_prepare(name, events);
    bool stopped;

    if (status == 0)
        status = tprof_start(name, events, how->chains, how->cpus);
    if (status != 0)
        return status;
    status = command_run(argc, argv);
    pmc_profile_stop();
    stopped = shell_interrupt_aside(); /* what was sampled until then is told */
    if (!how->stacks_only && tprof_report_functions(events, how->cpus, 0, false) != 0)
        status = pmc_events_refused(name, "report", ENOMEM);
    tprof_report_statistics();
    pmc_events_lost(name, events, pmc_sample_lost());
    if (how->chains)
        tprof_report_stacks(events, how->cpus);
    pmc_profile_end();
    if (stopped)
        shell_interrupt_again();
    return shell_interrupted() ? STATUS_INTERRUPTED : status;
}

static int tprof_run_monitor(int argc, char **argv, struct pmc_events *events)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "ae:go:"};
    struct monitor how = {.chains = false};
    int option, status = 0;

    while (status == 0 && (option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        if (option == 'e')
            status = tprof_add_event(argv[0], options.value, events);
        how.cpus = how.cpus || option == 'a';
        how.chains = how.chains || option == 'g';
        if (option == 'o') {
            if (strcmp(options.value, "stacks") == 0)
                how.chains = how.stacks_only = true;
            else if (strcmp(options.value, "text") != 0)
                return pmc_events_usage(argv[0], "-o: text or stacks");
        }
    }
    if (status != 0)
        return status;
    if (options.index >= argc)
        return pmc_events_usage(argv[0], "no command");
    if (!command_known(argv[options.index]))
        return STATUS_NOT_FOUND;
    return tprof_monitor(argv[0], events, &how, argc - options.index, argv + options.index);
}

struct top {
    uint64_t interval, count;
    bool counts, cpus;
    bool batch;
};

static int tprof_refresh(const struct top *top, const struct pmc_events *events, bool keys)
{
    pmc_profile_gather();
    if (keys)
        live_home(true);
    if (tprof_report_functions(events, top->cpus, top->batch ? 0 : TOP_ROWS, true) != 0)
        return 1;
    if (top->counts)
        tprof_report_statistics();
    return 0;
}

static int tprof_repeat(const char *name, const struct top *top, struct pmc_events *events)
{
    bool keys = !top->batch && live_has_keys();
    uint64_t next = clock_now();
    int status = tprof_prepare(name, events);
    char key = 0;

    if (status == 0)
        status = tprof_start(name, events, false, top->cpus);
    if (status != 0)
        return status;
    for (uint64_t round = 0; status == 0 && (top->count == 0 || round < top->count); round++) {
        next = clock_after(next, top->interval);
        key = live_wait(keys, next);
        if (key == 'q' || key == 'Q' || shell_interrupted())
            break;
        status = tprof_refresh(top, events, keys);
    }
    pmc_profile_stop();
    pmc_profile_end();
    return shell_interrupted() ? STATUS_INTERRUPTED : status;
}

static int tprof_run_top(int argc, char **argv, struct pmc_events *events)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "abe:i:n:c"};
    struct top top = {.interval = SECOND};
    int option, status = 0;

    while (status == 0 && (option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        if (option == 'e')
            status = tprof_add_event(argv[0], options.value, events);
        if (option == 'i')
            status = options_interval(argv, options.value, &top.interval);
        if (option == 'n')
            status = options_number(argv, "count", options.value, 1, UINT64_MAX, &top.count);
        top.cpus = top.cpus || option == 'a';
        top.counts = top.counts || option == 'c';
        top.batch = top.batch || option == 'b';
    }
    if (status != 0)
        return status;
    if (options.index < argc)
        return pmc_events_usage(argv[0], "top takes no command");
    return tprof_repeat(argv[0], &top, events);
}

typedef int verb_run(int argc, char **argv, struct pmc_events *events);

/* The words begin with the command's name. */
static int tprof_run_verb(verb_run *verb, int argc, char **argv)
{
    struct pmc_events *events;
    int status;

    pmc_events_ready();
    events = kmem_zalloc(sizeof *events);
    if (events == NULL)
        return pmc_events_refused(argv[0], "events", ENOMEM);
    status = verb(argc, argv, events);
    kmem_free(events);
    return status;
}

static int tprof_run(int argc, char **argv)
{
    char *word = argc > 1 ? argv[1] : "";
    int status;

    if (strcmp(word, "list") != 0 && strcmp(word, "monitor") != 0 && strcmp(word, "top") != 0) {
        if (argc > 1)
            shell_printf("%s: unknown verb \"%s\"\n", argv[0], word);
        return command_usage(argv[0]);
    }
    argv[1] = argv[0]; /* complaints begin with it */
    if (word[0] == 'l')
        status = tprof_run_list(argc - 1, argv + 1);
    else
        status =
            tprof_run_verb(word[0] == 'm' ? tprof_run_monitor : tprof_run_top, argc - 1, argv + 1);
    argv[1] = word;
    return status;
}

static void tprof_complete(struct completion *completion, int argc, char **argv)
{
    static const char *const verbs[] = {"list", "monitor", "top"};

    if (argc == 1) {
        for (unsigned i = 0; i < sizeof verbs / sizeof *verbs; i++)
            completion_add(completion, verbs[i]);
    } else if (strcmp(argv[argc - 1], "-e") == 0) {
        pmc_events_complete(completion);
    } else {
        command_complete_names(completion, argc, argv);
    }
}

COMMAND(tprof, .name = "tprof", .summary = "sample where events happen",
        .usage = "tprof list\n"
                 "       tprof monitor [-ag] [-e EVENT[:uk][,PERIOD]]... [-o text|stacks] COMMAND\n"
                 "       tprof top [-abc] [-e EVENT] [-i SECONDS] [-n COUNT]",
        .description =
            "list: the events that can be sampled; cpu-clock always can, its period is in ns.\n"
            "monitor: runs COMMAND, takes a sample of the whole system each time EVENT has\n"
            "happened PERIOD times, and prints which functions they were in; then how many\n"
            "samples there were, and how many were lost. The status is the command's.\n"
            "top: the same again and again; q or ^C ends it.\n"
            "  -e EVENT   cycles if not given, or cpu-clock; up to four, each its counter\n"
            "  -a         each CPU's samples apart\n"
            "  -g         then `stacks:` and a line a;b;c COUNT for each chain of calls\n"
            "  -o FORM    text, or stacks: without the table\n"
            "  -b         top: all functions, without moving about the screen\n"
            "  -c         top: also the counts of samples\n"
            "  -i SECONDS -n COUNT  top: between two reports, and how many\n"
            "\n"
            "Example: tprof monitor -e cpu-clock,500000 -g spin 100\n",
        .run = tprof_run, .complete = tprof_complete);
