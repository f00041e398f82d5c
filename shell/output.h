/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * output: how commands print. After ^C everything printed is dropped, so that a command which looks
 * at shell_interrupted() only now and then still seems to stop at once.
 */
#ifndef SHELL_OUTPUT_H
#define SHELL_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void shell_write(const char *text, size_t length);
void shell_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* What is wrong: not for the next command of a pipeline. */
void shell_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The last word of a command that was interrupted: printed all the same. */
void shell_write_last(const char *text, size_t length);

/* Where a thread's text goes, if not to the console. */
struct shell_output {
    void (*write)(struct shell_output *output, const char *text, size_t length);
    void (*complain)(struct shell_output *output, const char *text, size_t length);
    struct shell_output *outer; /* what it takes the place of; or NULL, the console */
    bool closed;                /* nobody reads it any more: who prints is to end */
};
/* The caller's; NULL: the console. */
struct shell_output *shell_output(void);
/* It is OUTPUT from now on, with outer filled in, until shell_output_end. */
void shell_output_begin(struct shell_output *output);
void shell_output_end(struct shell_output *output);
/* For a thread that works for another: prints where that one does. */
void shell_output_use(struct shell_output *output);

/*
 * Gathers output that is printed piece by piece, so that it goes to the console in whole lines and
 * those of commands that run at the same time do not mix. All zero is an empty one.
 */
#define SHELL_GATHER_BYTES 512 /* a line longer than this goes in parts */
struct shell_gather {
    size_t used;
    char text[SHELL_GATHER_BYTES];
};

/* ARG is the struct shell_gather; flush writes what is left. */
void shell_gather_put(void *arg, const char *text, size_t length);
void shell_gather_flush(struct shell_gather *gather);
void shell_gather_printf(struct shell_gather *gather, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether the command is to end, by ^C or `stop`, or as nobody reads what it prints: return
 * STATUS_INTERRUPTED soon. */
bool shell_interrupted(void);
/* For a command that has something to say when what it ran has been interrupted: whether it was,
 * then as if not until told again (or another ^C). */
bool shell_interrupt_aside(void);
void shell_interrupt_again(void);

/* Sleep until clock_now() reaches the deadline; false if ^C or `stop` ended it early. */
bool shell_sleep_until(uint64_t deadline);

#endif
