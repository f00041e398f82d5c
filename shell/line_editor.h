/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * line_editor: turns the bytes of a keyboard into lines and echoes what it does, for a terminal
 * that knows the common ANSI sequences. It is a function from input bytes to output bytes and calls
 * nothing of the kernel: the console, the history and the completion are handed to it.
 */
#ifndef SHELL_LINE_EDITOR_H
#define SHELL_LINE_EDITOR_H

#include <stdbool.h>
#include <stddef.h>

#include "shell/completion.h"
#include "shell/history.h"
#include "shell/line_row.h"
#include "shell/line_search.h"

enum line_result {
    LINE_MORE,      /* the line goes on */
    LINE_DONE,      /* Enter: row.text holds the line */
    LINE_REFUSED,   /* Enter behind a line that was too long, which is said: row.text is empty */
    LINE_CANCELLED, /* ^C: the same */
};

enum line_escape {
    ESCAPE_NONE,
    ESCAPE_START, /* after ESC */
    ESCAPE_CSI,   /* after ESC [ and parameters */
    ESCAPE_SS3,   /* after ESC O: one more byte */
};

/*
 * Find the word at the end of the length bytes at line, store what is typed of it in
 * completion->prefix (valid until the next call) and offer the candidates.
 */
typedef void line_complete(void *arg, const char *line, size_t length,
                           struct completion *completion);

/* Set complete, row.prompt and row.write (and arg), the rest zero. Big: keep it static. */
struct line_editor {
    line_complete *complete; /* may be NULL */
    void *arg;
    struct history *history; /* may be NULL */
    enum line_escape escape;
    unsigned parameter;   /* first parameter of a CSI sequence */
    bool more_parameters; /* a `;` was seen: later digits are ignored */
    bool after_return;    /* a line feed right now belongs to the carriage return before it */
    bool after_tab;       /* a second Tab lists */
    bool too_long;        /* something was typed that the line had no room for */
    size_t history_back;  /* 0: not in the history */
    struct line_search search;
    struct line_row row;
    char stash[LINE_ROW_BYTES + 1]; /* the line being typed, while the history is shown */
};

/* Begin a new line and write the prompt. */
void line_editor_start(struct line_editor *editor);

/*
 * Take one byte of input. After all but LINE_MORE the cursor is on a fresh row, row.text is
 * NUL-terminated, and line_editor_start must come before the next byte.
 */
enum line_result line_editor_feed(struct line_editor *editor, char byte);

#endif
