/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Script mode: a boot module holds one shell line to run. The module begins `quipu-script 1 TAG\n`;
 * the rest is the line. On the console, \001TAG begin, \001TAG exit N, \001TAG panic and \001TAG
 * reboot frame what the commands print, so that the host can tell it from everything else.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct script {
    char tag[32];
    const char *text; /* NUL-terminated */
    size_t length;
    const char *fault; /* why it cannot be run as it is, and is not; NULL: it can */
};

/* Boot: reads a module; false (and logged) if it is not a script. The bytes must stay where they
 * are. */
bool script_read(const char *module, size_t size);
/* The script, or NULL. */
const struct script *script_get(void);
void script_begin(void); /* prints the begin marker; log lines stay off the console from here on */
void script_exit(int status); /* exit marker; the caller then switches off */
void script_reboot(void);     /* reboot marker; nothing without a script */
