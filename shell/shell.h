/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shell: reads lines from the console, or one from a script, and runs their commands. All state is
 * one shell's: there is one console and one shell on it. What several commands at once need (words,
 * status, ^C) belongs to each job, see job.h.
 */
#ifndef SHELL_SHELL_H
#define SHELL_SHELL_H

#include <stdbool.h>

/*
 * Run the script if there is one, which ends in powering off once its last background job has
 * ended, else lines from the console for ever.
 * Called once, in a thread made for it.
 */
void shell_start(void);

/* Run all commands of a line; the last one's status. Also sets what `$?` stands for. */
int shell_run_line(const char *line);

/* Whether a line or script ends with the first command that fails (`set -e`). */
void shell_set_stop(bool stop);
bool shell_stops(void);

/* A line or script ends here, with STATUS; at the prompt the machine is then switched off. Any job.
 */
void shell_exit(int status);
bool shell_exited(void);

/* What `$?` stands for. */
int shell_status(void);

/*
 * Does nothing. Called each time the prompt is out and before input is waited for, so that an
 * observer outside can tell when the machine is ready.
 */
void shell_wait_input(void);

#endif
