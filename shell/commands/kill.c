/* SPDX-License-Identifier: BSD-2-Clause */
/* kill: sends a signal to processes; a job, %N, is stopped. */
#include "lib/errno.h"
#include "lib/number.h"
#include "lib/string.h"
#include "linux/program/signal_kernel.h"
#include "linux/program/program.h"
#include "shell/command.h"
#include "shell/job.h"
#include "shell/output.h"

#define ID_MAX 0x7fffffffu

static int kill_list(void)
{
    struct shell_gather line = {.used = 0};

    for (int signal = 1; signal <= ABI_SIGNALS; signal++)
        if (signal_kernel_name(signal))
            shell_gather_printf(&line, "%2d %s\n", signal, signal_kernel_name(signal));
    shell_gather_flush(&line);
    return 0;
}

/* The number of "9", "KILL" or "SIGKILL"; -1 with a message. */
static int kill_signal(const char *text)
{
    uint64_t number;
    int signal = signal_kernel_number(text);

    if (signal == 0 && (parse_u64(text, 10, &number) != 0 || number > ABI_SIGNALS)) {
        shell_printf("kill: %s: No such signal\n", text);
        return -1;
    }
    return signal != 0 ? signal : (int)number;
}

static int kill_job(const char *text)
{
    uint64_t number;

    if (parse_u64(text + 1, 10, &number) == 0 && number <= JOBS_MAX &&
        job_stop((unsigned)number) == 0)
        return 0;
    shell_printf("kill: no job %s\n", text + 1);
    return 1;
}

static int kill_one(const char *text, int signal)
{
    bool group = text[0] == '-';
    uint64_t number;

    if (text[0] == '%')
        return kill_job(text);
    if (parse_u64(text + group, 10, &number) != 0 || number == 0 || number > ID_MAX) {
        shell_printf("kill: bad process \"%s\"\n", text);
        return STATUS_USAGE;
    }
    if (signal_kernel_send(group ? -(int64_t)number : (int64_t)number, signal) == 0)
        return 0;
    shell_printf("kill: %s: No such process\n", text);
    return 1;
}

/* -l, -9, -KILL, -s KILL, --: where the operands begin; *SIGNAL -1: it is said already. */
static int kill_options(int argc, char **argv, int *signal)
{
    int at = 1;

    if (argc > 1 && argv[1][0] == '-' && argv[1][1] != '\0' && strcmp(argv[1], "--") != 0) {
        const char *text = argv[1] + 1;

        if (strcmp(text, "s") == 0)
            text = argc > 2 ? argv[2] : "";
        *signal = kill_signal(text);
        at = text == argv[1] + 1 ? 2 : 3;
    }
    return at < argc && strcmp(argv[at], "--") == 0 ? at + 1 : at;
}

static int kill_run(int argc, char **argv)
{
    int signal = SIGTERM, status = 0, at;

    if (argc == 2 && strcmp(argv[1], "-l") == 0)
        return kill_list();
    at = kill_options(argc, argv, &signal);
    if (signal < 0 || at >= argc)
        return command_usage(argv[0]);
    for (; at < argc && status != STATUS_USAGE; at++) {
        int result = kill_one(argv[at], signal);

        status = result != 0 ? result : status;
    }
    return status;
}

COMMAND(kill, .name = "kill", .summary = "send a signal to processes",
        .usage = "kill [-SIGNAL] PID|-GROUP|%JOB...",
        .description =
            "SIGNAL is a name or a number, TERM if there is none; 0 only asks whether there is\n"
            "such a process. PID is a number from ps -a, -GROUP a process group's. A job from\n"
            "jobs, %1 say, is stopped as by stop, whatever the signal.\n"
            "  -l  list the signals' names and numbers, which differ between machines\n"
            "\n"
            "Example: kill -KILL 12; spin 100000 & kill %1\n",
        .run = kill_run);
