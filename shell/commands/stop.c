/* SPDX-License-Identifier: BSD-2-Clause */
/* stop: ^C for a command in the background. */
#include "lib/number.h"
#include "shell/command.h"
#include "shell/job.h"
#include "shell/options.h"
#include "shell/output.h"

static int stop_one(char **argv, const char *text)
{
    const char *digits = *text == '%' ? text + 1 : text;
    uint64_t number;

    if (parse_u64(digits, 10, &number) != 0)
        return options_number(argv, "job", text, 1, 0, &number);
    if (number <= JOBS_MAX && job_stop((unsigned)number) == 0)
        return 0;
    shell_printf("%s: no job %s\n", argv[0], digits);
    return 1;
}

static int stop_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = ""};
    int status = 0;

    if (options_next(&options) != OPTIONS_END)
        return STATUS_USAGE;
    if (options.index >= argc)
        return command_usage(argv[0]);
    for (int i = options.index; i < argc && status != STATUS_USAGE; i++) {
        int result = stop_one(argv, argv[i]);

        status = result != 0 ? result : status;
    }
    return status;
}

COMMAND(stop, .name = "stop", .summary = "stop a command in the background", .usage = "stop JOB...",
        .description =
            "Does what ^C does to a command in the foreground: the command ends soon, with\n"
            "status 130. JOB is a number from jobs, perhaps with % before it.\n"
            "\n"
            "Example: sleep 1000 & stop 1; wait 1\n",
        .run = stop_run);
