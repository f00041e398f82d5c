/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * line_search: the search through the history that ^R begins: what is looked for, where it was
 * found, and the prompt that tells of both. Keys are line_editor's business.
 */
#ifndef SHELL_LINE_SEARCH_H
#define SHELL_LINE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "shell/history.h"

#define LINE_SEARCH_BYTES 24 /* so that the prompt leaves half of the row to the line */

/* All zero: nobody searches. */
struct line_search {
    bool active;
    size_t back; /* the line it was found in, as history_get counts; 0: none yet */
    size_t length;
    char text[LINE_SEARCH_BYTES + 1];
    char prompt[LINE_SEARCH_BYTES + 16];
    const char *prompt_before;
};

/* Begins, with nothing looked for; PROMPT is the one to come back. */
void line_search_begin(struct line_search *search, const char *prompt);

/* One byte more to look for, or one less: false if there is no room, or nothing to take away. */
bool line_search_add(struct line_search *search, char byte);
bool line_search_remove(struct line_search *search);

/*
 * The newest line with the text in it from `back` on, or, if OLDER, behind it; NULL if there is
 * none, and then `back` stays.
 */
const char *line_search_find(struct line_search *search, const struct history *history, bool older);

#endif
