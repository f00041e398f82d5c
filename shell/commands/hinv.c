/* SPDX-License-Identifier: BSD-2-Clause */
/* hinv: lists the hardware, one line per item; the lines come from the board and from drivers. */
#include "kernel/base/inventory.h"
#include "kernel/device/late.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

/* What is to be listed, and whether there was any of it. */
struct hinv {
    const char *class; /* NULL: all */
    bool any;
};

static bool hinv_put(const char *class, const char *line, void *argument)
{
    struct hinv *hinv = argument;

    if (hinv->class == NULL || strcmp(hinv->class, class) == 0) {
        shell_printf("%s\n", line);
        hinv->any = true;
    }
    return !shell_interrupted();
}

static int hinv_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "c:"};
    struct hinv hinv = {NULL, false};
    int option;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        hinv.class = options.value;
    }
    if (options.index < argc)
        return command_usage("hinv");
    late_start();
    inventory_each(hinv_put, &hinv);
    if (hinv.any)
        return 0;
    shell_complain("hinv: nothing of class %s\n", hinv.class);
    return 1;
}

COMMAND(hinv, .name = "hinv", .summary = "list the hardware", .usage = "hinv [-c CLASS]",
        .description =
            "Processors, memory and devices, as the board and its drivers report them.\n"
            "-c lists those of one class: processor, memory, interrupt, clock, serial, disk,\n"
            "network.\n"
            "\n"
            "Example: hinv -c processor\n",
        .run = hinv_run);
