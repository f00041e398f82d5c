/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals that the kernel sends, for the shell say. Thread context. */
#pragma once

#include <stdint.h>

/* SIGNAL (0: none, only asks) to process ID, or (negative) to all of group -ID, as kill(2) does for
 * root: 0, -ESRCH, -EINVAL (no such signal). */
int signal_kernel_send(int64_t id, int signal);
/* "TERM" and SIGTERM's number, both ways, as they are on this machine; NULL and 0 if there is none.
 * Case does not matter, nor does a "SIG" before it. */
const char *signal_kernel_name(int signal);
int signal_kernel_number(const char *name);
