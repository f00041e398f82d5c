/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A command with files in place of the console: one of a pipeline, or one with redirections. Its
 * thread prints through the output that is the first field; programs that it starts get the files.
 */
#pragma once

#include "shell/output.h"

struct file;
struct parser_stage;
struct pipeline;
struct thread;

struct stage {
    struct shell_output output; /* first */
    const struct parser_stage *command;
    struct file *files[3];     /* references; NULL: the console's */
    int error;                 /* that ended writing, or 0 */
    struct pipeline *pipeline; /* NULL: by itself */
    struct thread *thread;     /* in a pipeline */
    int status;
};

/* Redirects, runs the command in the calling thread, and lets go of the files, which may be there
 * before: its status. */
int stage_run(struct stage *stage);
/* Lets go of the files. */
void stage_close(struct stage *stage);
/* The one that the caller runs, or NULL. */
struct stage *stage_current(void);
/* The running program has the files now. Where the command is nothing but that program the stage
 * lets go of them, so that a pipe ends with the program's own use of it. */
void stage_handed_over(struct stage *stage);
/* What an error of a file is called. */
const char *stage_error_text(int error);
