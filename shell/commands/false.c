/* SPDX-License-Identifier: BSD-2-Clause */
/* false: the command that fails. It reads no arguments. */
#include "shell/command.h"

static int false_run(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return 1;
}

COMMAND(false, .name = "false", .summary = "fail: status 1", .usage = "false",
        .description = "Arguments are ignored.\n"
                       "\n"
                       "Example: false; echo $?\n",
        .verbatim = true, .run = false_run);
