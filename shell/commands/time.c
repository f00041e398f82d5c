/* SPDX-License-Identifier: BSD-2-Clause */
/* time: runs another command and prints how long that took, and what it used of a CPU. */
#include "kernel/time/clock.h"
#include "kernel/thread/thread.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"
#include "shell/commands/shared/thread_list.h"

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

struct timing {
    const char *name;
    struct usage before;
};

static int time_begin(void *state, int argc, char **argv, int *status)
{
    struct options options = {.argc = argc, .argv = argv, .letters = ""};
    struct timing *timing = state;

    *status = STATUS_USAGE;
    if (options_next(&options) != OPTIONS_END)
        return 0;
    if (options.index >= argc) {
        *status = command_usage(argv[0]);
        return 0;
    }
    timing->name = argv[0];
    *status = 1;
    return take_usage(&timing->before, argv[0], true) ? options.index : 0;
}

static int time_end(void *state, int status)
{
    const struct timing *timing = state;
    struct usage after;

    if (!take_usage(&after, timing->name, false))
        return 1;
    print("real", after.real - timing->before.real);
    print("user", after.user - timing->before.user);
    print("sys ", after.system - timing->before.system);
    return status;
}

static const struct command_prefix prefix = {
    .state_bytes = sizeof(struct timing), .words = 1, .begin = time_begin, .end = time_end};

COMMAND(time, .name = "time", .summary = "run a command and say how long it took",
        .usage = "time COMMAND [ARGUMENT...]",
        .description =
            "real is the time that went by; user and sys are what the command's thread used of\n"
            "a CPU outside and inside the kernel, interrupts not included. The status is the\n"
            "command's.\n"
            "\n"
            "Example: time sleep 1\n",
        .prefix = &prefix);
