/* SPDX-License-Identifier: BSD-2-Clause */
/* true: the command that succeeds. It reads no arguments. */
#include "shell/command.h"

static int true_run(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return 0;
}

COMMAND(true, .name = "true", .summary = "succeed: status 0", .usage = "true",
        .description = "Arguments are ignored.\n"
                       "\n"
                       "Example: true; echo $?\n",
        .verbatim = true, .run = true_run);
