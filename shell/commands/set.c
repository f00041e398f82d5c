/* SPDX-License-Identifier: BSD-2-Clause */
/* set: what the shell itself does. */
#include "lib/string.h"
#include "shell/command.h"
#include "shell/output.h"
#include "shell/shell.h"

static int set_run(int argc, char **argv)
{
    if (argc == 1) {
        shell_printf("set %ce\n", shell_stops() ? '-' : '+');
        return 0;
    }
    if (argc != 2 || (strcmp(argv[1], "-e") != 0 && strcmp(argv[1], "+e") != 0))
        return command_usage("set");
    shell_set_stop(argv[1][0] == '-');
    return 0;
}

COMMAND(set, .name = "set", .summary = "stop a line at the first command that fails, or not",
        .usage = "set [-e | +e]",
        .description =
            "  -e  a line or script ends with the first command whose status is not 0, unless\n"
            "      && or || tests it\n"
            "  +e  it goes on (as at the start)\n"
            "\n"
            "Without an argument, prints which of them holds.\n"
            "Example: set -e; dd if=wd0 of=null count=1; echo read\n",
        .run = set_run);
