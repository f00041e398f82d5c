/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * history: the lines typed before, newest last, in one fixed buffer from which the oldest fall out.
 * It stores and finds; what the Up key does with a line is the line editor's business.
 */
#ifndef SHELL_HISTORY_H
#define SHELL_HISTORY_H

#include <stddef.h>

#define HISTORY_BYTES 8192

/* All zero is an empty history. bytes holds NUL-terminated lines back to back. */
struct history {
    size_t used;
    char bytes[HISTORY_BYTES];
};

/*
 * Append a line of length bytes (no NUL among them). Empty lines, a repetition of the newest line
 * and lines longer than three quarters of the buffer are not kept.
 */
void history_add(struct history *history, const char *line, size_t length);

/* The line `back` steps ago, 1 being the newest; NULL when there is none. Valid until the next add.
 */
const char *history_get(const struct history *history, size_t back);

#endif
