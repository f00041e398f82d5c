/* SPDX-License-Identifier: BSD-2-Clause */
/* command_list: pipelines that `&&` and `||` connect, run one after the other. */
#ifndef SHELL_COMMAND_LIST_H
#define SHELL_COMMAND_LIST_H

#include <stdbool.h>
#include "lib/linker_set.h"

struct parser;

/*
 * Runs the list that the parser stands before; STATUS is the last status. Its status, or
 * STATUS_INTERRUPTED, and then what is left of it has not been run. FAILED, if not NULL: whether it
 * is the status of the list's last pipeline, and not 0; of one that `&&` or `||` tests it is not.
 */
int command_list_run(struct parser *parser, int status, bool *failed);

/*
 * Upcall: runs pipelines of several commands, and redirections. One at most, in the set
 * command_pipes; without it they are refused.
 */
struct command_pipes {
    int (*run)(const struct parser *parser);
};

#endif
