/* SPDX-License-Identifier: BSD-2-Clause */
/* poweroff: switches the machine off. Nothing needs to be saved first. */
#include "kernel/console/console.h"
#include "kernel/console/script.h"
#include "kernel/console/shutdown.h"
#include "shell/command.h"
#include "shell/options.h"

static int poweroff_run(int argc, char **argv)
{
    if (options_none(argc, argv) != 0)
        return STATUS_USAGE;
    if (script_get() != NULL)
        script_exit(0); /* the host is waiting for a status */
    console_drain();
    machine_poweroff();
}

COMMAND(poweroff, .name = "poweroff", .summary = "switch the machine off", .usage = "poweroff",
        .description = "In a script it ends the run with status 0.\n"
                       "\n"
                       "Example: poweroff\n",
        .run = poweroff_run);
