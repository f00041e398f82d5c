/* SPDX-License-Identifier: BSD-2-Clause */
/* spin: keeps the CPU busy, to give interrupts and the scheduler something to interrupt. */
#include "kernel/time/clock.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

#define MILLISECOND 1000000u

static int spin_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = ""};
    uint64_t start = clock_now(), ms;

    if (options_next(&options) != OPTIONS_END)
        return STATUS_USAGE;
    if (options.index != argc - 1)
        return command_usage(argv[0]);
    if (options_number(argv, "time", argv[options.index], 0, UINT64_MAX / MILLISECOND, &ms) != 0)
        return STATUS_USAGE;
    while (clock_now() - start < ms * MILLISECOND) {
        if (shell_interrupted())
            return STATUS_INTERRUPTED;
    }
    return 0;
}

COMMAND(spin, .name = "spin", .summary = "keep the CPU busy", .usage = "spin MILLISECONDS",
        .description = "Interrupts are served and other threads run meanwhile; ^C ends it.\n"
                       "\n"
                       "Example: time spin 250\n",
        .run = spin_run);
