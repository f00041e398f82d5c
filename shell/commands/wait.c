/* SPDX-License-Identifier: BSD-2-Clause */
/* wait: until commands in the background have ended. */
#include "lib/errno.h"
#include "lib/number.h"
#include "shell/command.h"
#include "shell/job.h"
#include "shell/options.h"
#include "shell/output.h"

static int wait_one(char **argv, const char *text)
{
    const char *digits = *text == '%' ? text + 1 : text;
    uint64_t number;
    int status = 0, error;

    if (parse_u64(digits, 10, &number) != 0)
        return options_number(argv, "job", text, 1, 0, &number);
    error = number <= JOBS_MAX ? job_wait((unsigned)number, &status) : -ENOENT;
    if (error == -ENOENT) {
        shell_printf("%s: no job %s\n", argv[0], digits);
        return STATUS_NOT_FOUND;
    }
    return error == -EINTR ? STATUS_INTERRUPTED : status;
}

static int wait_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = ""};
    int status = 0;

    if (options_next(&options) != OPTIONS_END)
        return STATUS_USAGE;
    if (options.index >= argc && job_wait_all(&status) != 0)
        return STATUS_INTERRUPTED;
    for (int i = options.index; i < argc && !shell_interrupted(); i++)
        status = wait_one(argv, argv[i]);
    return status;
}

COMMAND(wait, .name = "wait", .summary = "wait for commands in the background",
        .usage = "wait [JOB...]",
        .description = "For those of the given numbers, or all (in the background: all that were\n"
                       "started before it). The status is that of the last one named or, without\n"
                       "numbers, started last; 127 if there is no such job; 130 after ^C, which\n"
                       "leaves the jobs alone.\n"
                       "\n"
                       "Example: sleep 1 & sleep 2 & wait\n",
        .run = wait_run);
