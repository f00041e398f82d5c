/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parser: cuts a line into commands and words the way sh does, as far as this shell goes: blanks
 * separate words, `;`, `&` and newline end commands, 'single' and "double" quotes and \ quote, `#`
 * at the start of a word begins a comment, `$?` is the last status. No variables, no pipes, no
 * redirection: such characters are ordinary. It runs nothing and prints nothing.
 */
#ifndef SHELL_PARSER_H
#define SHELL_PARSER_H

#include <stdbool.h>
#include <stddef.h>

/* The longest line the shell takes, without a NUL. */
#define PARSER_LINE_BYTES 4096
/* Every other byte of the longest line can be a word. */
#define PARSER_WORDS (PARSER_LINE_BYTES / 2 + 1)
/* `$?` takes two bytes and becomes at most three; each word has a NUL. */
#define PARSER_TEXT_BYTES (2 * PARSER_LINE_BYTES + 2)

enum parser_result {
    PARSER_END,        /* nothing but blanks and comments was left */
    PARSER_COMMAND,    /* argc (> 0) and argv are filled */
    PARSER_OPEN_QUOTE, /* the line ends inside quotes; argc and argv hold what there is */
    PARSER_TOO_LONG,   /* over PARSER_LINE_BYTES or a limit that follows from it */
    PARSER_AND,        /* `&&`, which means something else in sh and nothing here */
};

/* Big: keep it static, never on a stack. */
struct parser {
    const char *next;     /* what has not been looked at yet */
    bool in_word;         /* the last word went up to the end of the line: it may be incomplete */
    bool background;      /* the command ended with `&` */
    const char *source;   /* where the command's text begins in the line */
    size_t source_length; /* without what separates it from the next */
    int argc;
    char *argv[PARSER_WORDS + 1]; /* NULL-terminated; the strings live in text */
    size_t used;
    char text[PARSER_TEXT_BYTES];
};

/* Begin with a NUL-terminated line, which must stay unchanged until the parser is done with it. */
void parser_init(struct parser *parser, const char *line);

/* Give the next command; status (0..255) is what `$?` stands for in it. */
enum parser_result parser_next(struct parser *parser, int status);

/* What is wrong with the line as a whole, for a message; NULL when nothing is. Uses the parser. */
const char *parser_check(struct parser *parser, const char *line);

#endif
