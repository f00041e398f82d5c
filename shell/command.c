/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * command: see command.h. The set is searched as the linker left it: two dozen entries need no
 * table, and building one would delay the first prompt.
 */
#include "shell/command.h"

#include "lib/string.h"
#include "shell/habit.h"
#include "shell/output.h"

const struct command *command_find(const char *name)
{
    const struct command *const *member;

    LINKER_SET_FOREACH (member, commands) {
        const struct command *command = *member;

        if (strcmp(command->name, name) == 0)
            return command;
    }
    return NULL;
}

const struct command *command_next(const struct command *previous)
{
    const struct command *const *member;
    const struct command *best = NULL;

    LINKER_SET_FOREACH (member, commands) {
        const struct command *command = *member;

        if (previous != NULL && strcmp(command->name, previous->name) <= 0)
            continue;
        if (best == NULL || strcmp(command->name, best->name) < 0)
            best = command;
    }
    return best;
}

bool command_known(const char *name)
{
    const struct command_other *const *other;

    if (command_find(name) != NULL)
        return true;
    LINKER_SET_FOREACH (other, command_others)
        if ((*other)->knows(name))
            return true;
    command_not_found(name);
    return false;
}

void command_not_found(const char *name)
{
    const char *here = habit_here(name);

    if (here != NULL)
        shell_complain("%s: command not found (here: %s)\n", name, here);
    else
        shell_complain("%s: command not found\n", name);
}

void command_describe(const struct command *command)
{
    shell_printf("%s: %s\nusage: %s\n%s", command->name, command->summary, command->usage,
                 command->description);
}

int command_usage(const char *name)
{
    const struct command *command = command_find(name);

    if (command != NULL)
        shell_complain("usage: %s\n", command->usage);
    return STATUS_USAGE;
}

void command_complete_names(struct completion *completion, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    for (const struct command *c = command_next(NULL); c != NULL; c = command_next(c))
        completion_add(completion, c->name);
}

/* Option lines begin with two blanks and the dash. */
void command_complete_options(struct completion *completion, const struct command *command)
{
    for (const char *line = command->description; line != NULL;) {
        if (strncmp(line, "  -", 3) == 0)
            completion_add(completion, (const char[]){'-', line[3], '\0'});
        line = strchr(line, '\n');
        line = line == NULL ? NULL : line + 1;
    }
}
