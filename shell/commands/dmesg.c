/* SPDX-License-Identifier: BSD-2-Clause */
/* dmesg: prints the kernel log, oldest line first. */
#include "kernel/console/log_ring.h"
#include "kernel/device/late.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

#define CHUNK_BYTES 256

static int dmesg_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "n:"};
    struct shell_gather out = {.used = 0};
    char chunk[CHUNK_BYTES];
    uint64_t lines;
    size_t offset = 0, length;
    int option;

    late_start();
    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        if (options_number(argv, "number of lines", options.value, 0, UINT32_MAX, &lines) != 0)
            return STATUS_USAGE;
        if (lines == 0)
            return 0;
        offset = log_tail((unsigned)lines);
    }
    if (options.index < argc)
        return command_usage(argv[0]);
    while ((length = log_read(&offset, chunk, sizeof(chunk))) > 0 && !shell_interrupted())
        shell_gather_put(&out, chunk, length);
    shell_gather_flush(&out);
    return 0;
}

COMMAND(dmesg, .name = "dmesg", .summary = "print the kernel log", .usage = "dmesg [-n LINES]",
        .description = "Each line begins with the seconds since boot.\n"
                       "  -n LINES  only the last LINES\n"
                       "\n"
                       "Example: dmesg -n 5\n",
        .run = dmesg_run);
