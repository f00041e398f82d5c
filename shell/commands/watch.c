/* SPDX-License-Identifier: BSD-2-Clause */
/* watch: runs another command again and again on an empty screen. */
#include "kernel/time/clock.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

#define SECOND 1000000000ull

struct request {
    uint64_t interval; /* ns */
    uint64_t count;    /* rounds; 0 is without end */
    uint64_t round, next;
    int argc; /* of the command */
    char **argv;
};

static void watch_print_title(const struct request *request)
{
    uint64_t interval = request->interval;
    struct shell_gather line;

    line.used = 0;
    shell_gather_printf(&line,
                        "\033[H\033[2JEvery %llu.%llu s:", (unsigned long long)(interval / SECOND),
                        (unsigned long long)(interval % SECOND / (SECOND / 10)));
    for (int i = 0; i < request->argc; i++)
        shell_gather_printf(&line, " %s", request->argv[i]);
    shell_gather_put(&line, "\n\n", 2);
    shell_gather_flush(&line);
}

/* 0, or a status. */
static int watch_read_options(struct request *request, struct options *options)
{
    char **argv = options->argv;
    int option;

    while ((option = options_next(options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        if (option == 'n' && options_interval(argv, options->value, &request->interval) != 0)
            return STATUS_USAGE;
        if (option == 'c' &&
            options_number(argv, "count", options->value, 1, UINT64_MAX, &request->count) != 0)
            return STATUS_USAGE;
    }
    return options->index >= options->argc ? command_usage(argv[0]) : 0;
}

static int watch_begin(void *state, int argc, char **argv, int *status)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "n:c:"};
    struct request *request = state;

    request->interval = 2 * SECOND;
    *status = watch_read_options(request, &options);
    if (*status != 0)
        return 0;
    request->argc = argc - options.index;
    request->argv = argv + options.index;
    request->round = 1;
    request->next = clock_now();
    watch_print_title(request);
    return options.index;
}

static int watch_end(void *state, int status)
{
    struct request *request = state;

    if (shell_interrupted())
        return STATUS_INTERRUPTED;
    if (request->round == request->count || status == STATUS_NOT_FOUND)
        return status;
    request->next = clock_after(request->next, request->interval);
    if (!shell_sleep_until(request->next))
        return STATUS_INTERRUPTED;
    request->round++;
    watch_print_title(request);
    return COMMAND_AGAIN;
}

static const struct command_prefix prefix = {
    .state_bytes = sizeof(struct request), .begin = watch_begin, .end = watch_end};

static void watch_complete(struct completion *completion, int argc, char **argv)
{
    if (argc == 1)
        command_complete_names(completion, argc, argv);
}

COMMAND(watch, .name = "watch", .summary = "run a command again and again",
        .usage = "watch [-n SECONDS] [-c COUNT] COMMAND [ARGUMENT...]",
        .description =
            "Each time on an empty screen, until ^C or COUNT times. The status is that of the\n"
            "command's last run.\n"
            "  -n SECONDS  from one start to the next; 2 if not given\n"
            "  -c COUNT    that many times\n"
            "\n"
            "Example: watch -n 1 vmstat -i\n",
        .prefix = &prefix, .complete = watch_complete);
