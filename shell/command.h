/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * command: what a shell command consists of. Each lives in its own file under shell/commands and
 * registers itself with COMMAND; nothing else in the tree names it.
 */
#ifndef SHELL_COMMAND_H
#define SHELL_COMMAND_H

#include <lib/linker_set.h>
#include <stddef.h>

#include <stdbool.h>
#include "shell/completion.h"

/* Exit statuses with a meaning of their own, as in sh. */
#define STATUS_USAGE       2
#define STATUS_NOT_FOUND   127
#define STATUS_INTERRUPTED 130

/*
 * A prefix is a command whose last words are another command. It does not run that itself: begin
 * and end are called around it, so that any number of prefixes takes no stack.
 */
struct command_prefix {
    size_t state_bytes; /* between begin and end; zero at first */
    /* How many words come before the other command, the prefix's own included; 0: options decide
     * that. For completion. */
    int words;
    /* Where in argv the other command begins. If there is nothing to run, 0 with *status. */
    int (*begin)(void *state, int argc, char **argv, int *status);
    /* The other command has ended with `status`: the prefix's status, or COMMAND_AGAIN. */
    int (*end)(void *state, int status);
};

#define COMMAND_AGAIN (-1)

struct command {
    const char *name;
    const char *summary;     /* one line without a full stop */
    const char *usage;       /* begins with the name */
    const char *description; /* what help shows below: options one a line, then an example */
    /* argv[0] is the name, argv[argc] NULL. The result's low eight bits are the status. */
    int (*run)(int argc, char **argv);
    const struct command_prefix *prefix; /* instead of run; or NULL */
    /* Offer what the word after the argc words so far may be; NULL if nothing is known. */
    void (*complete)(struct completion *completion, int argc, char **argv);
    bool verbatim; /* it takes any words: `--help` alone is no question about it */
};

/* COMMAND(ident, .name = ..., ...): the fields of a struct command. */
#define COMMAND(ident, ...)                                                                        \
    static const struct command command_##ident = {__VA_ARGS__};                                   \
    LINKER_SET_ADD(commands, command_##ident)

/*
 * Runs what is no command: the status, or COMMAND_NONE if it is nothing of its own either. One at
 * most, in the set command_others.
 */
struct command_other {
    int (*run)(int argc, char **argv);
    bool (*knows)(const char *name); /* whether `run` would run something */
};
#define COMMAND_NONE (-1)

/* The command of that name, or NULL. */
const struct command *command_find(const char *name);

/* Whether there is a command or a program of that name; if not, that is said: STATUS_NOT_FOUND. */
bool command_known(const char *name);

/* The command that follows `previous` by name; NULL begins, NULL ends. */
const struct command *command_next(const struct command *previous);

/* Run a command whose words are known; the status, 127 with a message if there is none so named. */
int command_run(int argc, char **argv);

/* Say that there is no command or program NAME, and what may be meant. */
void command_not_found(const char *name);

/* Print all that a command says about itself. */
void command_describe(const struct command *command);

/* Print the usage line of the named command; returns STATUS_USAGE. */
int command_usage(const char *name);

/* Offer the options of a command, as its description lists them. */
void command_complete_options(struct completion *completion, const struct command *command);

/* For struct command: offer the names of all commands. */
void command_complete_names(struct completion *completion, int argc, char **argv);

#endif
