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

/* shell_write in the shape that lib/format.h and stats/vmstat.h call; arg is not used. */
void shell_put(void *arg, const char *text, size_t length);

/* Whether ^C was typed while the present command line runs: return STATUS_INTERRUPTED soon. */
bool shell_interrupted(void);

/* Sleep until clock_now() reaches the deadline; false if ^C ended it early. */
bool shell_sleep_until(uint64_t deadline);

#endif
