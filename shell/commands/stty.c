/* SPDX-License-Identifier: BSD-2-Clause */
/* stty and resize: how large the terminal is, as somebody says, or as it says itself. */
#include "kernel/console/console_size.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/live.h"
#include "shell/options.h"
#include "shell/output.h"

#define PATIENCE_NS 5000000000ull

static void stty_print_size(void)
{
    struct console_size size = console_size_get();

    shell_printf("rows %u, columns %u\n", size.rows, size.columns);
}

/* One setting and its value. */
static int stty_set_one(char **argv, const char *name, const char *value, struct console_size *size)
{
    uint16_t *where = strcmp(name, "rows") == 0 ? &size->rows : &size->columns;
    uint64_t number;

    if (strcmp(name, "rows") != 0 && strcmp(name, "cols") != 0 && strcmp(name, "columns") != 0) {
        shell_complain("%s: \"%s\": only the size can be set here\n", argv[0], name);
        return STATUS_USAGE;
    }
    if (value == NULL) {
        shell_complain("%s: %s: a number is missing\n", argv[0], name);
        return STATUS_USAGE;
    }
    if (options_number(argv, name, value, 1, UINT16_MAX, &number) != 0)
        return STATUS_USAGE;
    *where = (uint16_t)number;
    return 0;
}

static int stty_run(int argc, char **argv)
{
    struct console_size size = console_size_get();

    if (argc == 2 && strcmp(argv[1], "size") == 0) {
        shell_printf("%u %u\n", size.rows, size.columns);
        return 0;
    }
    if (argc == 1 || (argc == 2 && strcmp(argv[1], "-a") == 0)) {
        stty_print_size();
        return 0;
    }
    for (int at = 1; at < argc; at += 2)
        if (stty_set_one(argv, argv[at], at + 1 < argc ? argv[at + 1] : NULL, &size) != 0)
            return STATUS_USAGE;
    console_size_set(size);
    return 0;
}

static void stty_complete(struct completion *completion, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    completion_add(completion, "columns");
    completion_add(completion, "rows");
    completion_add(completion, "size");
}

COMMAND(stty, .name = "stty", .summary = "show or set how large the terminal is",
        .usage = "stty [-a | size | rows NUMBER | columns NUMBER]...",
        .description =
            "Whoever draws a screen or a wide table goes by it, and so do programs; 24 rows and\n"
            "80 columns, if nobody has said otherwise. See also resize.\n"
            "  size            both numbers, and nothing else\n"
            "  rows NUMBER     that many lines\n"
            "  columns NUMBER  that many characters a line (or cols)\n"
            "\n"
            "Example: stty rows 50 columns 132\n",
        .run = stty_run, .complete = stty_complete);

static int stty_resize_run(int argc, char **argv)
{
    bool answered;

    if (argc > 1)
        return command_usage(argv[0]);
    answered = live_has_keys() && console_size_ask(PATIENCE_NS);
    if (shell_interrupted())
        return STATUS_INTERRUPTED;
    if (!answered)
        shell_printf("resize: the terminal does not say how large it is; ");
    stty_print_size();
    return answered ? 0 : 1;
}

COMMAND(resize, .name = "resize", .summary = "ask the terminal how large it is", .usage = "resize",
        .description =
            "Asks as xterm's resize does, by moving the cursor as far as it goes, waits five\n"
            "seconds for an answer, and prints the size that holds now. In a script nobody is\n"
            "asked. top and systat ask when they start, and at ^L.\n"
            "\n"
            "Example: resize\n",
        .run = stty_resize_run);
