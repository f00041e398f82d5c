/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * screen: how much room there is for what a command prints. On the console it is the terminal's,
 * within what any layout here can use; in a script or a pipe it is that of a plain terminal, so
 * that what is printed there is always the same.
 */
#ifndef SHELL_SCREEN_H
#define SHELL_SCREEN_H

#define SCREEN_ROWS_MIN    10
#define SCREEN_ROWS_MAX    200
#define SCREEN_COLUMNS_MIN 40
#define SCREEN_COLUMNS_MAX 250

/* For the output of the calling thread. */
unsigned screen_rows(void);
unsigned screen_columns(void);

/* Asks the terminal on the console; for a command that may read its keys. One that has answered the
 * last time has five seconds, another one half a second. */
void screen_ask(void);

#endif
