/* SPDX-License-Identifier: BSD-2-Clause */
/* panic: stops the machine on purpose, to see how it reports that. */
#include <arch/test/provoke.h>
#include "kernel/base/panic.h"
#include "kernel/interrupt/trap.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/options.h"
#include "shell/output.h"

static const struct trap_provocation *panic_find_fault(const char *name)
{
    for (const struct trap_provocation *fault = trap_provocations; fault->name != NULL; fault++) {
        if (strcmp(fault->name, name) == 0)
            return fault;
    }
    return NULL;
}

static int panic_list_faults(void)
{
    for (const struct trap_provocation *fault = trap_provocations; fault->name != NULL; fault++)
        shell_printf("%-10s %s\n", fault->name, fault->help);
    return 0;
}

static int panic_run_fault(char **argv, const char *name)
{
    const struct trap_provocation *fault = panic_find_fault(name);

    if (fault == NULL) {
        shell_printf("%s: no fault named \"%s\", see panic -l\n", argv[0], name);
        return command_usage(argv[0]);
    }
    fault->run();
    shell_printf("%s: the fault \"%s\" was survived\n", argv[0], name);
    return 1;
}

static int panic_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = "lt:"};
    const char *fault = NULL;
    int option;

    while ((option = options_next(&options)) != OPTIONS_END) {
        if (option == 'l')
            return panic_list_faults();
        if (option == OPTIONS_BAD)
            return STATUS_USAGE;
        fault = options.value;
    }
    if (argc - options.index > (fault == NULL ? 1 : 0))
        return command_usage(argv[0]);
    if (fault != NULL)
        return panic_run_fault(argv, fault);
    panic("%s", options.index < argc ? argv[options.index] : "asked for by the shell");
}

static void panic_complete(struct completion *completion, int argc, char **argv)
{
    if (argc != 2 || strcmp(argv[1], "-t") != 0)
        return;
    for (const struct trap_provocation *fault = trap_provocations; fault->name != NULL; fault++)
        completion_add(completion, fault->name);
}

COMMAND(panic, .name = "panic", .summary = "stop the machine with a report",
        .usage = "panic [-l | -t FAULT | MESSAGE]",
        .description = "Panics with the message, or by a real fault of the processor.\n"
                       "  -l        list the faults\n"
                       "  -t FAULT  cause one\n"
                       "\n"
                       "Example: panic 'out of rope'\n",
        .run = panic_run, .complete = panic_complete);
