/* SPDX-License-Identifier: BSD-2-Clause */
/* reboot: resets the board. */
#include "kernel/console/console.h"
#include "kernel/console/shutdown.h"
#include "shell/command.h"
#include "shell/options.h"

static int reboot_run(int argc, char **argv)
{
    if (options_none(argc, argv) != 0)
        return STATUS_USAGE;
    console_drain();
    machine_reboot();
}

COMMAND(reboot, .name = "reboot", .summary = "reset the machine", .usage = "reboot",
        .description = "In a script it ends the run with status 0.\n"
                       "\n"
                       "Example: reboot\n",
        .run = reboot_run);
