/* SPDX-License-Identifier: BSD-2-Clause */
/* time: runs another command and prints how long that took. */
#include "kernel/clock.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

#define SECOND 1000000000u

static int run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = ""};
    uint64_t start, ns;
    int status;

    if (options_next(&options) != OPTIONS_END)
        return STATUS_USAGE;
    if (options.index >= argc)
        return command_usage(argv[0]);
    start = clock_now();
    status = command_run(argc - options.index, argv + options.index);
    ns = clock_now() - start;
    shell_printf("real %llu.%09llu s\n", (unsigned long long)(ns / SECOND),
                 (unsigned long long)(ns % SECOND));
    return status;
}

static void complete(struct completion *completion, int argc, char **argv)
{
    const struct command *command = argc > 1 ? command_find(argv[1]) : NULL;

    if (argc == 1)
        command_complete_names(completion, argc, argv);
    else if (command != NULL && command->complete != NULL)
        command->complete(completion, argc - 1, argv + 1);
}

COMMAND(time, .name = "time", .summary = "run a command and say how long it took",
        .usage = "time COMMAND [ARGUMENT...]",
        .description = "The status is the command's.\n"
                       "\n"
                       "Example: time sleep 1\n",
        .run = run, .complete = complete);
