/* SPDX-License-Identifier: BSD-2-Clause */
/* time: runs another command and prints how long that took, and what it and the programs that it
 * ran used of a CPU and of other things. */
#include "kernel/memory/page.h"
#include "kernel/time/clock.h"
#include "kernel/thread/thread.h"
#include "linux/program/launch_account.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"
#include "shell/commands/shared/thread_list.h"

#define SECOND 1000000000u

struct usage {
    uint64_t real, user, system, voluntary, involuntary;
};

/*
 * What the calling thread has used so far; false if that cannot be told. The clock is read before
 * that, or after it, so that nothing used falls outside the time that went by.
 */
static bool time_take_usage(struct usage *usage, const char *name, bool clock_first)
{
    const struct thread_info *self;
    struct thread_list list;

    usage->real = clock_now();
    if (thread_list_take(&list, name) != 0)
        return false;
    self = thread_list_find(&list, thread_current()->id);
    usage->user = self->user_ns;
    usage->system = self->system_ns;
    usage->voluntary = self->voluntary;
    usage->involuntary = self->involuntary;
    if (!clock_first)
        usage->real = clock_now();
    thread_list_free(&list);
    return true;
}

static void time_print(const char *what, uint64_t ns)
{
    shell_printf("%s %llu.%09llu s\n", what, (unsigned long long)(ns / SECOND),
                 (unsigned long long)(ns % SECOND));
}

struct timing {
    const char *name;
    bool all; /* -l */
    struct usage before;
    struct launch_account programs;
};

static void time_print_count(const char *what, uint64_t count)
{
    shell_printf("%10llu  %s\n", (unsigned long long)count, what);
}

/* In the order and with the words of NetBSD's time -l, and system calls besides. */
static void time_print_all(const struct usage *used, const struct program_usage *programs)
{
    time_print_count("maximum resident set size", programs->most_resident * (PAGE_SIZE / 1024));
    time_print_count("page reclaims", programs->minor);
    time_print_count("page faults", programs->major);
    time_print_count("signals received", programs->counts.signals);
    time_print_count("voluntary context switches", used->voluntary + programs->voluntary);
    time_print_count("involuntary context switches", used->involuntary + programs->involuntary);
    time_print_count("system calls", programs->counts.calls);
}

static int time_begin(void *state, int argc, char **argv, int *status)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "l"};
    struct timing *timing = state;
    int option;

    *status = STATUS_USAGE;
    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return 0;
        timing->all = true;
    }
    if (options.index >= argc) {
        *status = command_usage(argv[0]);
        return 0;
    }
    timing->name = argv[0];
    *status = 1;
    if (!time_take_usage(&timing->before, argv[0], true))
        return 0;
    launch_account_begin(&timing->programs);
    return options.index;
}

static int time_end(void *state, int status)
{
    struct timing *timing = state;
    const struct program_usage *programs = &timing->programs.usage;
    struct usage used;

    launch_account_end(&timing->programs);
    if (!time_take_usage(&used, timing->name, false))
        return 1;
    time_print("real", used.real - timing->before.real);
    time_print("user", used.user - timing->before.user + program_user_ns(programs));
    time_print("sys ", used.system - timing->before.system + program_system_ns(programs));
    used.voluntary -= timing->before.voluntary;
    used.involuntary -= timing->before.involuntary;
    if (timing->all)
        time_print_all(&used, programs);
    return status;
}

static const struct command_prefix prefix = {
    .state_bytes = sizeof(struct timing), .words = 1, .begin = time_begin, .end = time_end};

COMMAND(time, .name = "time", .summary = "run a command and say how long it took",
        .usage = "time [-l] COMMAND [ARGUMENT...]",
        .description =
            "real is the time that went by; user and sys are what the command's thread, the\n"
            "programs that it ran and the children that they waited for used of a CPU outside\n"
            "and inside the kernel, interrupts not included. The status is the command's.\n"
            "  -l  also what else the programs used, sizes in KiB\n"
            "\n"
            "Example: time sleep 1\n",
        .prefix = &prefix);
