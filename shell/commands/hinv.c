/* SPDX-License-Identifier: BSD-2-Clause */
/* hinv: lists the hardware, one line per item; the lines come from the board. */
#include "kernel/base/machine.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

#define LINE_BYTES 160

static int hinv_run(int argc, char **argv)
{
    char line[LINE_BYTES];

    if (options_none(argc, argv) != 0)
        return STATUS_USAGE;
    for (unsigned i = 0; !shell_interrupted(); i++) {
        if (machine.inventory(i, line, sizeof(line)) == 0)
            break;
        shell_printf("%s\n", line);
    }
    return 0;
}

COMMAND(hinv, .name = "hinv", .summary = "list the hardware", .usage = "hinv",
        .description = "Processor, memory and devices, as the board reports them.\n"
                       "\n"
                       "Example: hinv\n",
        .run = hinv_run);
