/* SPDX-License-Identifier: BSD-2-Clause */
/* watch: runs another command again and again on an empty screen. */
#include "kernel/clock.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

#define SECOND 1000000000ull

struct request {
    uint64_t interval; /* ns */
    uint64_t count;    /* rounds; 0 is without end */
};

static void print_title(uint64_t interval, int argc, char **argv)
{
    struct shell_gather line;

    line.used = 0;
    shell_gather_printf(&line,
                        "\033[H\033[2JEvery %llu.%llu s:", (unsigned long long)(interval / SECOND),
                        (unsigned long long)(interval % SECOND / (SECOND / 10)));
    for (int i = 0; i < argc; i++)
        shell_gather_printf(&line, " %s", argv[i]);
    shell_gather_put(&line, "\n\n", 2);
    shell_gather_flush(&line);
}

static int repeat(const struct request *request, int argc, char **argv)
{
    uint64_t next = clock_now();

    for (uint64_t round = 1;; round++) {
        int status;

        print_title(request->interval, argc, argv);
        status = command_run(argc, argv);
        if (shell_interrupted())
            return STATUS_INTERRUPTED;
        if (round == request->count || status == STATUS_NOT_FOUND)
            return status;
        next = clock_after(next, request->interval);
        if (!shell_sleep_until(next))
            return STATUS_INTERRUPTED;
    }
}

static int run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "n:c:"};
    struct request request = {.interval = 2 * SECOND};
    int option;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        if (option == 'n' && options_interval(argv, options.value, &request.interval) != 0)
            return STATUS_USAGE;
        if (option == 'c' &&
            options_number(argv, "count", options.value, 1, UINT64_MAX, &request.count) != 0)
            return STATUS_USAGE;
    }
    if (options.index >= argc)
        return command_usage(argv[0]);
    return repeat(&request, argc - options.index, argv + options.index);
}

static void complete(struct completion *completion, int argc, char **argv)
{
    if (argc == 1)
        command_complete_names(completion, argc, argv);
}

COMMAND(watch, .name = "watch", .summary = "run a command again and again",
        .usage = "watch [-n SECONDS] [-c COUNT] COMMAND [ARGUMENT...]",
        .description =
            "Each time on an empty screen, until ^C or so often. The status is that of the\n"
            "command's last run.\n"
            "  -n SECONDS  from one start to the next; 2 if not given\n"
            "  -c COUNT    so many times\n"
            "\n"
            "Example: watch -n 1 vmstat -i\n",
        .run = run, .complete = complete);
