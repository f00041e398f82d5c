/* SPDX-License-Identifier: BSD-2-Clause */
/* sleep: waits without using the CPU. */
#include "kernel/time/clock.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

static int sleep_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = ""};
    uint64_t start = clock_now(), ns;

    if (options_next(&options) != OPTIONS_END)
        return STATUS_USAGE;
    if (options.index != argc - 1)
        return command_usage(argv[0]);
    if (options_seconds(argv, "time", argv[options.index], &ns) != 0)
        return STATUS_USAGE;
    if (ns > UINT64_MAX - start)
        ns = UINT64_MAX - start;
    return shell_sleep_until(start + ns) ? 0 : STATUS_INTERRUPTED;
}

COMMAND(sleep, .name = "sleep", .summary = "wait for some seconds", .usage = "sleep SECONDS",
        .description = "SECONDS may have a fraction. ^C ends the wait.\n"
                       "\n"
                       "Example: sleep 0.5; vmstat -i\n",
        .run = sleep_run);
