/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parser: cuts a line into pipelines, commands and words the way sh does, as far as this shell
 * goes: blanks separate words; `;`, newline, `&`, `&&` and `||` end a pipeline, `|` a command in
 * it; `<`, `>`, `>>` and `N>&M` redirect; 'single' and "double" quotes and \ quote, `#` at the
 * start of a word begins a comment, `$?` is the last status. No variables, no patterns: such
 * characters are ordinary. It runs nothing and prints nothing.
 */
#ifndef SHELL_PARSER_H
#define SHELL_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest line the shell takes, without its newline or a NUL; a script has several. */
#define PARSER_LINE_BYTES 4096
/* Every other byte of the longest line can be a word. */
#define PARSER_WORDS (PARSER_LINE_BYTES / 2 + 1)
/* `$?` takes two bytes and becomes at most three; each word has a NUL. */
#define PARSER_TEXT_BYTES   (2 * PARSER_LINE_BYTES + 2)
#define PARSER_STAGES       64 /* commands in a pipeline */
#define PARSER_REDIRECTIONS 64 /* in a pipeline */

enum parser_result {
    PARSER_END,        /* nothing but blanks and comments was left */
    PARSER_COMMAND,    /* a pipeline: stages and end are filled */
    PARSER_OPEN_QUOTE, /* the line ends inside quotes; argc and argv hold what there is */
    PARSER_TOO_LONG,   /* over PARSER_LINE_BYTES or a limit that follows from it */
    PARSER_SYNTAX,     /* as message says */
};

/* What stands behind a pipeline. */
enum parser_end {
    PARSER_THEN,       /* `;`, a newline or nothing */
    PARSER_BACKGROUND, /* `&` */
    PARSER_AND,        /* `&&` */
    PARSER_OR,         /* `||` */
};

enum parser_redirect { PARSER_INPUT, PARSER_OUTPUT, PARSER_APPEND, PARSER_SAME };

struct parser_redirection {
    uint8_t kind;       /* enum parser_redirect */
    uint8_t descriptor; /* 0 to 2 */
    uint8_t from;       /* PARSER_SAME: what it is to be the same as */
    char *path;         /* the others */
};

/* A command of a pipeline. */
struct parser_stage {
    int argc;    /* 0: redirections only */
    char **argv; /* NULL-terminated */
    const struct parser_redirection *redirections;
    unsigned redirection_count;
};

/* Big: keep it static or allocate it, never on a stack. */
struct parser {
    const char *next;     /* what has not been looked at yet */
    bool in_word;         /* the last word went up to the end of the line: it may be incomplete */
    bool in_target;       /* the same of a redirection's */
    bool wanted;          /* something has to follow: what was before ended with `&&` or `||` */
    enum parser_end end;  /* of this pipeline; of the one before while the next is looked at */
    const char *source;   /* where the pipeline's text begins in the line */
    size_t source_length; /* without what separates it from the next */
    int argc;             /* of the last command so far, */
    char **argv;          /* and its words */
    unsigned stage_count, redirection_count;
    struct parser_stage stages[PARSER_STAGES];
    struct parser_redirection redirections[PARSER_REDIRECTIONS];
    size_t word_count;
    char *words[PARSER_WORDS + PARSER_STAGES];
    size_t used;
    char text[PARSER_TEXT_BYTES];
    char message[48]; /* PARSER_SYNTAX */
};

/* Pipelines that `&&` and `||` connect. */
struct parser_list {
    const char *source; /* its text in the line */
    size_t length;
    bool background;
    char name[24]; /* its first word, cut */
};

/* Begin with a NUL-terminated line, which must stay unchanged until the parser is done with it. */
void parser_init(struct parser *parser, const char *line);

/* Give the next pipeline; status (0..255) is what `$?` stands for in it. */
enum parser_result parser_next(struct parser *parser, int status);

/* Step over the next list; PARSER_COMMAND if there was one. */
enum parser_result parser_next_list(struct parser *parser, struct parser_list *list);

/* What is wrong with the line as a whole, for a message; NULL when nothing is. Uses the parser. */
const char *parser_check(struct parser *parser, const char *line);

#endif
