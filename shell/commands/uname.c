/* SPDX-License-Identifier: BSD-2-Clause */
/* uname: what runs here, as POSIX prints it. */
#include <linux_abi.h>
#include "kernel/base/version.h"
#include "kernel/export/host_name.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

struct part {
    char letter;
    const char *text;
};

/* In the order in which they are printed. */
static const struct part parts[] = {
    {'s', QUIPU_NAME}, {'n', NULL /* host_name_get */}, {'r', QUIPU_RELEASE},
    {'v', "#1 Quipu"}, {'m', ABI_MACHINE_NAME},         {'p', ABI_MACHINE_NAME},
};
#define PARTS (sizeof parts / sizeof parts[0])
#define ALL   0x1fu /* but the last, which says the same */

static int uname_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "asnrvmp"};
    char name[HOST_NAME];
    unsigned wanted = 0;
    bool printed = false;
    int option;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        wanted |= option == 'a' ? ALL : 0;
        for (unsigned i = 0; i < PARTS; i++)
            wanted |= option == parts[i].letter ? 1u << i : 0;
    }
    if (options.index < argc)
        return command_usage(argv[0]);
    host_name_get(name, sizeof name);
    for (unsigned i = 0; i < PARTS; i++)
        if ((wanted ? wanted : 1) & 1u << i) {
            shell_printf("%s%s", printed ? " " : "", parts[i].text ? parts[i].text : name);
            printed = true;
        }
    shell_printf("\n");
    return 0;
}

COMMAND(uname, .name = "uname", .summary = "print what system this is", .usage = "uname [-amnprsv]",
        .description = "  -a  all of it\n"
                       "  -m, -p  the processor\n"
                       "  -n  the machine's name\n"
                       "  -r, -v  the release and the version\n"
                       "  -s  the system, as without options\n"
                       "\n"
                       "Linux programs are told of a Linux, by uname(2).\n",
        .run = uname_run);
