/* SPDX-License-Identifier: BSD-2-Clause */
/* jobs: lists the commands that run in the background, or ran there and were not asked for. */
#include "shell/job.h"

#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

static int jobs_run(int argc, char **argv)
{
    struct job_info info;

    if (options_none(argc, argv) != 0)
        return STATUS_USAGE;
    for (unsigned number = 1; number <= JOBS_MAX && !shell_interrupted(); number++) {
        if (!job_get(number, &info))
            continue;
        job_print(&info);
        if (info.done)
            job_told(number);
    }
    return 0;
}

COMMAND(jobs, .name = "jobs", .summary = "list the commands in the background", .usage = "jobs",
        .description =
            "A command that ends with & runs in the background: sleep 5 & . Up to 32 of them run\n"
            "at a time. Each has a number, for wait and stop. One that is done is listed with its\n"
            "status until wait has asked for it or a prompt has followed.\n"
            "\n"
            "Example: sleep 5 & jobs; wait\n",
        .run = jobs_run);
