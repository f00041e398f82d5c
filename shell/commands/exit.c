/* SPDX-License-Identifier: BSD-2-Clause */
/* exit: the end of a line or script; leaving the only shell there is switches the machine off. */
#include "shell/command.h"
#include "shell/job.h"
#include "shell/options.h"
#include "shell/shell.h"

static int exit_run(int argc, char **argv)
{
    uint64_t status = (uint64_t)shell_status();

    if (argc > 2)
        return command_usage("exit");
    if (argc == 2 && options_number(argv, "status", argv[1], 0, 255, &status) != 0)
        return STATUS_USAGE;
    if (!job_current())
        shell_exit((int)status);
    return (int)status;
}

COMMAND(exit, .name = "exit", .summary = "end the script; at the prompt, switch the machine off",
        .usage = "exit [STATUS]",
        .description =
            "STATUS is a number up to 255; without it, the last command's. Of a job in the\n"
            "background it only gives the status.\n"
            "\n"
            "Example: ping 10.0.2.2 || exit 3\n",
        .run = exit_run);
