/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel log: a ring of text lines, each stamped with seconds since boot. `dmesg` prints it.
 * log_printf of kernel/base/log.h writes into it.
 * Lines are also printed on the console unless the boot word `quiet` is given or a script runs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether lines go to the console too. Returns whether they did before. */
bool log_to_console(bool on);
/*
 * For who edits a line on the console, into which nobody else may write: between hold and release
 * lines stay off the console, and console_nudge is called for each. log_held gives what has been
 * kept back so far, 0 if nothing is left; release does nothing and returns false if something is.
 * Thread context.
 */
void log_hold(void);
size_t log_held(char *buffer, size_t size);
bool log_release(void);
/*
 * Copies log text from *OFFSET, in bytes ever logged, into BUFFER and moves *OFFSET behind it;
 * returns the number of bytes, 0 at the end. What is not kept any more is left out, up to the
 * beginning of a line. Whole log: begin with 0.
 */
size_t log_read(size_t *offset, char *buffer, size_t size);
/* The offset at which the last LINES lines begin. */
size_t log_tail(unsigned lines);
