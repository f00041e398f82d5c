/* SPDX-License-Identifier: BSD-2-Clause */
/* live: what commands share that draw their report again and again, and obey keys meanwhile. */
#ifndef SHELL_LIVE_H
#define SHELL_LIVE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether this command may read the console: not in a script, nor in the background. */
bool live_has_keys(void);

/*
 * Waits until clock_now() reaches the deadline. Without KEYS that is all. With them a key ends it
 * early: it is returned; 0 if none came. After ^C or `stop` 0, early: ask shell_interrupted().
 */
char live_wait(bool keys, uint64_t deadline);

/* The cursor to the top; the screen is cleared if CLEAR. */
void live_home(bool clear);

/* With KEYS: asks the terminal how large it is, and clears it. At the beginning, and for the key
 * LIVE_REDRAW. */
void live_begin(bool keys);
#define LIVE_REDRAW 12 /* ^L */

#endif
