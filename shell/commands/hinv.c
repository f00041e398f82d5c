/* SPDX-License-Identifier: BSD-2-Clause */
/* hinv: lists the hardware, one line per item; the lines come from the board and from drivers. */
#include "kernel/base/inventory.h"
#include "kernel/base/machine.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

#define LINE_BYTES 160

/* What is to be listed, and whether there was any of it. */
struct hinv {
    const char *class; /* NULL: all */
    bool any;
};

static void hinv_print(struct hinv *hinv, const char *class, const char *line)
{
    if (hinv->class != NULL && strcmp(hinv->class, class) != 0)
        return;
    shell_printf("%s\n", line);
    hinv->any = true;
}

static void hinv_board(struct hinv *hinv)
{
    char line[LINE_BYTES];
    const char *class;

    for (unsigned i = 0; !shell_interrupted(); i++) {
        if (machine.inventory(i, &class, line, sizeof line) == 0)
            break;
        hinv_print(hinv, class, line);
    }
}

static void hinv_drivers(struct hinv *hinv)
{
    const struct inventory *const *member;
    char line[LINE_BYTES];

    LINKER_SET_FOREACH (member, inventories)
        for (unsigned i = 0; (*member)->line(i, line, sizeof line) != 0; i++)
            hinv_print(hinv, (*member)->class, line);
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
    hinv_board(&hinv);
    hinv_drivers(&hinv);
    if (hinv.any)
        return 0;
    shell_complain("hinv: nothing of class %s\n", hinv.class);
    return 1;
}

COMMAND(hinv, .name = "hinv", .summary = "list the hardware", .usage = "hinv [-c CLASS]",
        .description = "Processors, memory and devices, as the board and its drivers report them.\n"
                       "-c lists those of one class: processor, memory, interrupt, clock, serial.\n"
                       "\n"
                       "Example: hinv -c processor\n",
        .run = hinv_run);
