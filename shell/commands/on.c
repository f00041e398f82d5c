/* SPDX-License-Identifier: BSD-2-Clause */
/* on: runs another command on chosen CPUs. */
#include "kernel/cpu.h"
#include "kernel/thread.h"
#include "lib/errno.h"
#include "shell/command.h"
#include "shell/cpu_list.h"
#include "shell/options.h"
#include "shell/output.h"

static int refuse(char **argv, uint64_t cpu)
{
    shell_printf("%s: no CPU %llu, there %s %u\n", argv[0], (unsigned long long)cpu,
                 cpu_count() == 1 ? "is" : "are", cpu_count());
    return 1;
}

static int run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = ""};
    uint32_t set, before = thread_affinity(thread_current());
    uint64_t beyond = 0;
    int status, error;

    if (options_next(&options) != OPTIONS_END)
        return STATUS_USAGE;
    if (argc - options.index < 2)
        return command_usage(argv[0]);
    error = cpu_list_parse(argv[options.index], cpu_count(), &set, &beyond);
    if (error == -ERANGE)
        return refuse(argv, beyond);
    if (error != 0) {
        shell_printf("%s: bad CPU \"%s\"\n", argv[0], argv[options.index]);
        return command_usage(argv[0]);
    }
    if (thread_set_affinity(thread_current(), set) != 0) {
        shell_printf("%s: none of the CPUs %s runs\n", argv[0], argv[options.index]);
        return 1;
    }
    status = command_run(argc - options.index - 1, argv + options.index + 1);
    thread_set_affinity(thread_current(), before);
    return status;
}

static void complete(struct completion *completion, int argc, char **argv)
{
    const struct command *command = argc > 2 ? command_find(argv[2]) : NULL;

    if (argc == 2)
        command_complete_names(completion, argc, argv);
    else if (command != NULL && command->complete != NULL)
        command->complete(completion, argc - 2, argv + 2);
}

COMMAND(on, .name = "on", .summary = "run a command on chosen CPUs",
        .usage = "on CPU COMMAND [ARGUMENT...]",
        .description =
            "CPU is a number from 0, or several: 0,2-3. The command's thread, and those that it\n"
            "starts, run nowhere else. The status is the command's, or 1 if there is no such CPU.\n"
            "\n"
            "Example: on 0 spin 1000 & on 0 spin 1000 & wait; ps\n",
        .run = run, .complete = complete);
