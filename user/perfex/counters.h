/* SPDX-License-Identifier: BSD-2-Clause */
/* A choice of events, and the counters of a process that count them: r10k_counters(5). */
#pragma once

#include <stdbool.h>
#include <sys/hwperfmacros.h>
#include <sys/hwperftypes.h>
#include <sys/types.h>

/* /proc/PID for its ioctls; -1 and errno. */
int perfex_open(pid_t pid);
/* EVENT is to be counted in MODES, HWPERF_CNTEN_*. */
void perfex_want(hwperf_profevctrarg_t *args, int event, int modes);
bool perfex_wants(const hwperf_eventctrl_t *control, int event);
/* How many events have turns on the counter of EVENT: what it counted times that is its projection.
 */
unsigned perfex_sharing(const hwperf_eventctrl_t *control, int event);
unsigned perfex_most_sharing(const hwperf_eventctrl_t *control);
/* Whether it can be counted, found by counting it in user mode, which takes nothing from others, on
 * FD, one's own; it goes on. False and errno: EINVAL if the machine does not have it. */
bool perfex_has(int fd, int event);
/* All that the machine has, and then nothing is counted on FD. -1 and errno. */
int perfex_want_all(hwperf_profevctrarg_t *args, int fd, int modes);
