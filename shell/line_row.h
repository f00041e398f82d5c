/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * line_row: a line of text being edited, and its picture on one row of a terminal. A line longer
 * than the row scrolls sideways. It knows positions and texts; keys are line_editor's business.
 */
#ifndef SHELL_LINE_ROW_H
#define SHELL_LINE_ROW_H

#include <stdbool.h>
#include <stddef.h>

/* The longest line, without its NUL. A further byte rings the bell. */
#define LINE_ROW_BYTES       4096
#define LINE_ROW_COLUMNS     80  /* of a plain terminal */
#define LINE_ROW_COLUMNS_MIN 40  /* a narrower one is taken for that, */
#define LINE_ROW_COLUMNS_MAX 250 /* a wider one for this */

/* prompt, columns and write are set by the owner, the rest begins as zero. */
struct line_row {
    const char *prompt; /* printable ASCII, much shorter than the row */
    void (*write)(void *arg, const char *text, size_t length);
    void *arg;
    size_t columns; /* MIN to MAX; not while a line is edited */
    size_t length, cursor;
    size_t first; /* the byte shown next to the prompt */
    size_t killed_length;
    char text[LINE_ROW_BYTES + 1];
    char killed[LINE_ROW_BYTES]; /* what yank inserts */
};

/* An empty line: writes the prompt. */
void line_row_start(struct line_row *row);

/* Raw output to the terminal, and the bell, which answers every key that cannot do anything. */
void line_row_put(struct line_row *row, const char *text, size_t length);
void line_row_bell(struct line_row *row);

/* Draw the prompt and what is visible, over the row that the terminal's cursor is in. */
void line_row_draw(struct line_row *row);

/* Takes it off again, so that something else can be written there. */
void line_row_hide(struct line_row *row);

/* Another prompt, or the same with another text in it. */
void line_row_set_prompt(struct line_row *row, const char *prompt);

/* Put the cursor before byte `cursor` (at most length), or one step aside. */
void line_row_move(struct line_row *row, size_t cursor);
void line_row_step(struct line_row *row, bool right);

/* Where the word left of the cursor begins, and where the one right of it ends. */
size_t line_row_word_left(const struct line_row *row);
size_t line_row_word_right(const struct line_row *row);

/* Changes at the cursor. kill takes count bytes at `at`, one end of which is the cursor. */
void line_row_insert(struct line_row *row, const char *text, size_t count);
void line_row_erase_left(struct line_row *row);
void line_row_erase_right(struct line_row *row);
void line_row_kill(struct line_row *row, size_t at, size_t count);
void line_row_yank(struct line_row *row);

/* Another text (at most LINE_ROW_BYTES) instead of the whole line; the cursor at its end. */
void line_row_replace(struct line_row *row, const char *text, size_t length);

#endif
