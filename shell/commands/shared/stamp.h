/* SPDX-License-Identifier: BSD-2-Clause */
/* stamp: the time above a report, as commands with -T print it. */
#ifndef SHELL_STAMP_H
#define SHELL_STAMP_H

/* A line: FORM 'u' seconds since 1970, 'd' as date(1) prints it; anything else: none. */
void stamp_print(char form);

#endif
