/* SPDX-License-Identifier: BSD-2-Clause */
/* echo: prints its arguments. As everywhere, an unknown option is a word like any other. */
#include "shell/command.h"
#include "shell/output.h"
#include "lib/string.h"

static int echo_run(int argc, char **argv)
{
    bool newline = argc < 2 || strcmp(argv[1], "-n") != 0;
    struct shell_gather gather;

    gather.used = 0;
    for (int i = newline ? 1 : 2; i < argc && !shell_interrupted(); i++) {
        shell_gather_put(&gather, argv[i], strlen(argv[i]));
        if (i + 1 < argc)
            shell_gather_put(&gather, " ", 1);
    }
    if (newline)
        shell_gather_put(&gather, "\n", 1);
    shell_gather_flush(&gather);
    return 0;
}

COMMAND(echo, .name = "echo", .summary = "print the arguments", .usage = "echo [-n] [WORD...]",
        .description = "  -n  no newline at the end\n"
                       "\n"
                       "Example: echo 'two  blanks' \"last status: $?\"\n",
        .verbatim = true, .run = echo_run);
