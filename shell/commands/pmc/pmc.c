/* SPDX-License-Identifier: BSD-2-Clause */
/* pmc: counts events with the machine's performance counters and the kernel's own. */
#include <sys/pmc.h>
#include "lib/string.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"
#include "shell/commands/pmc/pmc_events.h"
#include "shell/commands/pmc/pmc_list.h"
#include "shell/commands/pmc/pmc_stat_run.h"
#include "shell/commands/pmc/pmc_system.h"

static int pmc_run_list(int argc, char **argv)
{
    if (options_none(argc, argv) != 0)
        return STATUS_USAGE;
    pmc_events_ready();
    pmc_list_print(false);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} verbs[] = {
    {"list", pmc_run_list},
    {"stat", pmc_stat_run},
    {"start", pmc_system_start},
    {"stop", pmc_system_stop},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* 0 if the option was the only word. */
static int pmc_is_alone(struct options *options)
{
    int option = options_next(options);

    if (option == OPTIONS_BAD)
        return STATUS_USAGE;
    if (option != OPTIONS_END)
        return pmc_events_usage(options->argv[0], "-h, -C and -c do not go together");
    if (options->index == options->argc)
        return 0;
    shell_printf("%s: unexpected argument \"%s\"\n", options->argv[0],
                 options->argv[options->index]);
    return command_usage(options->argv[0]);
}

/* What there was before the verbs. */
static int pmc_run_old(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "hCc:"};
    int option = options_next(&options);

    if ((option == 'h' || option == 'C') && pmc_is_alone(&options) != 0)
        return STATUS_USAGE;
    switch (option) {
    case 'h':
        pmc_events_ready();
        pmc_list_names();
        return 0;
    case 'C':
        return pmc_system_cancel();
    case 'c':
        if (options.index >= argc)
            return pmc_events_usage(argv[0], "no command");
        return pmc_stat_old(argv[0], options.value, argc - options.index, argv + options.index);
    case OPTIONS_BAD:
        return STATUS_USAGE;
    default:
        break;
    }
    if (argc > 1)
        shell_printf("%s: unknown verb \"%s\"\n", argv[0], argv[1]);
    return command_usage(argv[0]);
}

static int pmc_run(int argc, char **argv)
{
    char *word;
    int status;

    for (unsigned i = 0; argc > 1 && i < COUNT(verbs); i++) {
        if (strcmp(argv[1], verbs[i].name) != 0)
            continue;
        word = argv[1];
        argv[1] = argv[0]; /* complaints begin with it */
        status = verbs[i].run(argc - 1, argv + 1);
        argv[1] = word;
        return status;
    }
    return pmc_run_old(argc, argv);
}

static void pmc_complete(struct completion *completion, int argc, char **argv)
{
    if (argc == 1) {
        for (unsigned i = 0; i < COUNT(verbs); i++)
            completion_add(completion, verbs[i].name);
    } else if (strcmp(argv[argc - 1], "-e") == 0 || strcmp(argv[argc - 1], "-c") == 0 ||
               strcmp(argv[1], "start") == 0) {
        pmc_events_complete(completion);
    } else {
        command_complete_names(completion, argc, argv);
    }
}

COMMAND(pmc, .name = "pmc", .summary = "count events while a command runs",
        .usage = "pmc list | start EVENT... | stop | -h | -C | -c EVENT COMMAND\n"
                 "       pmc stat [-e EVENTS] [-r N | -I MS] [-x SEP] COMMAND",
        .description =
            "list: every event, its number, the counters that can hold it, and its source.\n"
            "stat: runs COMMAND, counts for its thread and the threads that it starts, and\n"
            "prints a table as perf stat does. EVENTS are names or numbers with commas; then\n"
            ":u counts user mode only, :k the kernel, @N uses counter N. More events\n"
            "than counters take turns: their counts are scaled, and marked with the share of\n"
            "the time that they were counted. ^C ends COMMAND. The status is the command's.\n"
            "The shell's commands are part of the kernel: in user mode (:u) only programs\n"
            "count.\n"
            "start: counts EVENT:uk on every CPU until stop, which prints a table.\n"
            "  -e EVENTS  instead of the usual ones\n"
            "  -r N       run it N times: averages, and how far they lie apart\n"
            "  -x SEP     fields for programs, with SEP between them\n"
            "  -I MS      print every MS milliseconds what has come since\n"
            "  -c EVENT   one line: user and kernel, on two counters\n"
            "  -h         names only\n"
            "  -C         forget what start has begun\n"
            "\n"
            "Example: pmc stat -e cycles,instructions:u,context-switches spin 100\n",
        .run = pmc_run, .complete = pmc_complete);
