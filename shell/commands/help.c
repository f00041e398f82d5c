/* SPDX-License-Identifier: BSD-2-Clause */
/* help: prints what the commands say about themselves, and the kernel words. */
#include "kernel/base/boot_word.h"
#include "lib/format.h"
#include "lib/string.h"
#include "shell/command.h"
#include "shell/habit.h"
#include "shell/options.h"
#include "shell/output.h"

/* Wide enough for the longest command name. */
#define NAME_COLUMN 12
#define WORD_COLUMN 26

static const char keys_text[] =
    "Left ^B, Right ^F       one character\n"
    "Alt-b, Alt-f            one word\n"
    "Home ^A, End ^E         to the beginning, the end\n"
    "Up ^P, Down ^N          earlier and later lines\n"
    "^R, then text           the last line with it; ^R: one before; ^G: leave\n"
    "Backspace, Delete ^D    erase left, right\n"
    "^W Alt-Backspace, Alt-d cut the word left, right\n"
    "^U, ^K                  cut to the beginning, the end\n"
    "^Y                      insert what was cut last\n"
    "Tab                     complete; twice: list what is possible\n"
    "^L                      clear the screen\n"
    "^C                      drop the line, or stop the running command\n";

static const char shell_text[] =
    "a; b             b after a\n"
    "a && b, a || b   b if a's status is 0, or is not\n"
    "a | b            both at once; b reads what a prints\n"
    "a &              in the background, a job (jobs, wait, stop)\n"
    "< FILE           standard input; > FILE and >> FILE output, 2> FILE errors\n"
    "2>&1             errors where output goes\n"
    "'...' \"...\" \\   quote; $? is the last status, # begins a comment\n"
    "A name is a command of the shell, a program of /bin, or what a busybox there has.\n";

static void help_list_commands(void)
{
    for (const struct command *c = command_next(NULL); c != NULL; c = command_next(c))
        shell_printf("%-*s %s\n", NAME_COLUMN, c->name, c->summary);
    shell_printf("\nhelp NAME says more about a command, help boot lists the kernel words,\n"
                 "help keys the keys that edit a line, help shell what a line may hold.\n");
}

static void help_list_boot_words(void)
{
    const struct boot_word *const *member;
    char word[64];

    shell_printf("Words for the kernel's command line (./quipu run --append 'WORDS'):\n");
    LINKER_SET_FOREACH (member, boot_words) {
        const struct boot_word *boot_word = *member;

        format(word, sizeof(word), "%s%s%s", boot_word->name, *boot_word->values ? "=" : "",
               boot_word->values);
        shell_printf("  %-*s %s\n", WORD_COLUMN, word, boot_word->help);
    }
}

static int help_describe(char **argv, const char *name)
{
    const struct command *command = command_find(name);

    if (command != NULL) {
        command_describe(command);
    } else if (strcmp(name, "boot") == 0) {
        help_list_boot_words();
    } else if (strcmp(name, "keys") == 0) {
        shell_write(keys_text, sizeof(keys_text) - 1);
    } else if (strcmp(name, "shell") == 0) {
        shell_write(shell_text, sizeof(shell_text) - 1);
    } else {
        const char *here = habit_here(name);

        shell_printf(here != NULL ? "%s: nothing is known about \"%s\" (here: %s)\n"
                                  : "%s: nothing is known about \"%s\"\n",
                     argv[0], name, here);
        return 1;
    }
    return 0;
}

static int help_run(int argc, char **argv)
{
    struct options options = {.argc = argc, .argv = argv, .letters = ""};
    int status = 0;

    if (options_next(&options) != OPTIONS_END)
        return STATUS_USAGE;
    if (options.index >= argc)
        help_list_commands();
    for (int i = options.index; i < argc && !shell_interrupted(); i++) {
        if (i > options.index)
            shell_printf("\n");
        if (help_describe(argv, argv[i]) != 0)
            status = 1;
    }
    return status;
}

static void help_complete(struct completion *completion, int argc, char **argv)
{
    command_complete_names(completion, argc, argv);
    completion_add(completion, "boot");
    completion_add(completion, "keys");
    completion_add(completion, "shell");
}

COMMAND(help, .name = "help", .summary = "list the commands, or explain one",
        .usage = "help [NAME...]",
        .description = "  help       list the commands\n"
                       "  help NAME  usage, options and an example of one\n"
                       "  help boot  the words that the kernel's command line may hold\n"
                       "  help keys  the keys that edit a line\n"
                       "  help shell what a line may hold\n"
                       "\n"
                       "Example: help vmstat\n",
        .run = help_run, .complete = help_complete);
