/* SPDX-License-Identifier: BSD-2-Clause */
/* time: runs another command and prints how long that took, and what it used of a CPU. */
#include "kernel/clock.h"
#include "kernel/thread.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"
#include "shell/thread_list.h"

#define SECOND 1000000000u

struct usage {
    uint64_t real, user, system;
};

/*
 * What the calling thread has used so far; false if that cannot be told. The clock is read before
 * that, or after it, so that nothing used falls outside the time that went by.
 */
static bool take_usage(struct usage *usage, const char *name, bool clock_first)
{
    const struct thread_info *self;
    struct thread_list list;

    usage->real = clock_now();
    if (thread_list_take(&list, name) != 0)
        return false;
    self = thread_list_find(&list, thread_current()->id);
    usage->user = self->user_ns;
    usage->system = self->system_ns;
    if (!clock_first)
        usage->real = clock_now();
    thread_list_free(&list);
    return true;
}

static void print(const char *what, uint64_t ns)
{
    shell_printf("%s %llu.%09llu s\n", what, (unsigned long long)(ns / SECOND),
                 (unsigned long long)(ns % SECOND));
}

static int run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = ""};
    struct usage before, after;
    int status;

    if (options_next(&options) != OPTIONS_END)
        return STATUS_USAGE;
    if (options.index >= argc)
        return command_usage(argv[0]);
    if (!take_usage(&before, argv[0], true))
        return 1;
    status = command_run(argc - options.index, argv + options.index);
    if (!take_usage(&after, argv[0], false))
        return 1;
    print("real", after.real - before.real);
    print("user", after.user - before.user);
    print("sys ", after.system - before.system);
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
        .description =
            "real is the time that went by; user and sys are what the command's thread used of\n"
            "a CPU outside and inside the kernel, interrupts not included. The status is the\n"
            "command's.\n"
            "\n"
            "Example: time sleep 1\n",
        .run = run, .complete = complete);
