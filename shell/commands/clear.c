/* SPDX-License-Identifier: BSD-2-Clause */
/* clear: empties the terminal screen, with the ANSI sequences for it. */
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

static int clear_run(int argc, char **argv)
{
    if (options_none(argc, argv) != 0)
        return STATUS_USAGE;
    shell_printf("\033[H\033[2J");
    return 0;
}

COMMAND(clear, .name = "clear", .summary = "empty the screen", .usage = "clear",
        .description = "The key ^L does the same while a line is edited.\n"
                       "\n"
                       "Example: clear\n",
        .run = clear_run);
