/* SPDX-License-Identifier: BSD-2-Clause */
/* on: runs another command on chosen CPUs. */
#include "kernel/cpu/cpu.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "shell/command.h"
#include "shell/commands/shared/cpu_list.h"
#include "shell/options.h"
#include "shell/output.h"

static int on_refuse(char **argv, uint64_t cpu)
{
    char why[CPU_LIST_BYTES];

    cpu_list_beyond(why, sizeof(why), cpu, cpu_count());
    shell_printf("%s: %s\n", argv[0], why);
    return 1;
}

/* 0, or a status. */
static int on_move(char **argv, const char *list)
{
    uint32_t set;
    uint64_t beyond = 0;
    int error = cpu_list_parse(list, cpu_count(), &set, &beyond);

    if (error == -ERANGE)
        return on_refuse(argv, beyond);
    if (error != 0) {
        shell_printf("%s: bad CPU \"%s\"\n", argv[0], list);
        return command_usage(argv[0]);
    }
    if (thread_set_affinity(thread_current(), set) != 0) {
        shell_printf("%s: none of the CPUs %s runs\n", argv[0], list);
        return 1;
    }
    return 0;
}

static int on_begin(void *state, int argc, char **argv, int *status)
{
    struct options options = {.argc = argc, .argv = argv, .letters = ""};
    uint32_t *before = state;

    *before = thread_affinity(thread_current());
    *status = STATUS_USAGE;
    if (options_next(&options) != OPTIONS_END)
        return 0;
    if (argc - options.index < 2)
        *status = command_usage(argv[0]);
    else
        *status = on_move(argv, argv[options.index]);
    return *status == 0 ? options.index + 1 : 0;
}

static int on_end(void *state, int status)
{
    const uint32_t *before = state;

    thread_set_affinity(thread_current(), *before);
    return status;
}

static const struct command_prefix prefix = {
    .state_bytes = sizeof(uint32_t), .words = 2, .begin = on_begin, .end = on_end};

COMMAND(on, .name = "on", .summary = "run a command on chosen CPUs",
        .usage = "on CPU COMMAND [ARGUMENT...]",
        .description =
            "CPU is a number from 0, or several: 0,2-3. The command's thread, and those that it\n"
            "starts, run nowhere else. The status is the command's, or 1 if there is no such CPU.\n"
            "\n"
            "Example: on 0 spin 1000 & on 0 spin 1000 & wait; ps\n",
        .prefix = &prefix);
