/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel words: what may stand on the kernel's command line, either WORD or WORD=VALUE. Each is
 * registered beside the code that obeys it, so that `help boot` can list them; others are logged as
 * unknown.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "lib/linker_set.h"

struct boot_word {
    const char *name;
    const char *values; /* what must follow "=": numbers in capitals (NUMBER,NUMBER), or itself; ""
                           for a plain word */
    const char *help;   /* one line */
};

#define BOOT_WORD(ident, word_name, word_values, word_help)                                        \
    static const struct boot_word boot_word_##ident = {(word_name), (word_values), (word_help)};   \
    LINKER_SET_ADD(boot_words, boot_word_##ident)

#define BOOT_WORDS_TEXT 4096 /* with its NUL */

/* Boot: splits TEXT (kept) into words. CUT says that the loader may have kept back its end. */
void boot_words_parse(const char *text, bool cut);
/* Boot, when a panic can be reported: panics if the end of the command line is lost, or may be. */
void boot_words_require_end(void);
/* Logs each word that nobody registered, and each bad value. Returns their number. */
unsigned boot_words_check(void);
/* The value of NAME: NULL if absent, "" if it stands alone. */
const char *boot_word_value(const char *name);
