/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options: reads a command's options as getopt does: letters may be joined, a value stands in the
 * same word or the next, `--` or the first other word ends them. What is wrong is reported here,
 * with the command's usage.
 */
#ifndef SHELL_OPTIONS_H
#define SHELL_OPTIONS_H

#include <stdint.h>

/* letters: as for getopt, a colon after those that take a value. The rest begins as zero. */
struct options {
    int argc;
    char **argv;
    const char *letters;
    int index;         /* of the word looked at; after OPTIONS_END of the first operand */
    int offset;        /* in that word, 0 at its beginning */
    const char *value; /* of the option just returned */
};

#define OPTIONS_END (-1)
#define OPTIONS_BAD '?' /* reported: return STATUS_USAGE */

/* The next option's letter, OPTIONS_END or OPTIONS_BAD. */
int options_next(struct options *options);

/*
 * Read a command's number and complain 'NAME: bad WHAT "TEXT"' with its usage if it is none or not
 * in [low, high]. Returns 0, or STATUS_USAGE.
 */
int options_number(char **argv, const char *what, const char *text, uint64_t low, uint64_t high,
                   uint64_t *value);

/* The same for a time in seconds, which may have a fraction, given in nanoseconds. */
int options_seconds(char **argv, const char *what, const char *text, uint64_t *ns);

/* The same for the time between two reports, which may not be 0. */
int options_interval(char **argv, const char *text, uint64_t *ns);

/* For a command that knows no options: 0 with no argument, else a complaint and STATUS_USAGE. */
int options_none(int argc, char **argv);

#endif
