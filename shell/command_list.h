/* SPDX-License-Identifier: BSD-2-Clause */
/* command_list: pipelines that `&&` and `||` connect, run one after the other. */
#ifndef SHELL_COMMAND_LIST_H
#define SHELL_COMMAND_LIST_H

#include "lib/linker_set.h"

struct parser;

/*
 * Runs the list that the parser stands before; STATUS is the last status. Its status, or
 * STATUS_INTERRUPTED, and then what is left of it has not been run.
 */
int command_list_run(struct parser *parser, int status);

/*
 * Upcall: runs pipelines of several commands, and redirections. One at most, in the set
 * command_pipes; without it they are refused.
 */
struct command_pipes {
    int (*run)(const struct parser *parser);
};

#endif
