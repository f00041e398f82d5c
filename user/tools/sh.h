/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of sh: a text that is run while it is read (sh.c), what its words become (sh_word.c),
 * and commands of its own (sh_own.c). A part of the text that is not to be run is read all the
 * same.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The words of a command. */
struct sh_words {
    char **word; /* NULL at the end */
    size_t count, room;
};

struct sh {
    const char *at; /* what is read next */
    int status;     /* of the last command */
    int argc;       /* $1 to $9, from argv[1] on; argv[0] is $0 */
    char **argv;
    bool stop_on_error; /* -e */
    int last_child;     /* $!, 0: none */
};
extern struct sh sh;

/* Runs all of TEXT; sh.status is what comes of it. */
void sh_run_text(const char *text);
/* A child, which has no unwritten output of ours: as fork(2), but it ends if there is none. */
int sh_fork(void);
/* The status of CHILD, waited for: 128 and the number for a signal. */
int sh_wait(int child);

/* Reading on: over blanks, or over newlines too; a word that is taken if it is there, or must be
 * there. */
void sh_skip(bool lines);
bool sh_takes(const char *word);
void sh_wants(const char *word);
_Noreturn void sh_syntax(void);
/* Run, or only read: commands up to a word that ends a list; one command; one without lists in it.
 */
void sh_list(bool run);
void sh_command(bool run);
void sh_simple(bool run);
/* "2>&1", "<file" and so on where the text is; SAVED (-1: nothing) keeps what it was. False: there
 * is none. */
bool sh_redirect(bool run, int saved[10]);
void sh_restore(int saved[10]);

/* Where the word at TEXT ends: quotes and $(...) are one piece. */
const char *sh_word_end(const char *text);
/* What the LENGTH bytes at TEXT become: fields with their file names, added to WORDS. */
void sh_word_expand(const char *text, size_t length, struct sh_words *words);
/* The same as one text, not split: of assignments and redirections. To be freed. */
char *sh_word_text(const char *text, size_t length);
void sh_words_add(struct sh_words *words, char *word); /* takes it */
void sh_words_free(struct sh_words *words);

/* Whether WORDS are a command of ours; it has been run then, and sh.status tells what came of it.
 */
bool sh_own(const struct sh_words *words);
