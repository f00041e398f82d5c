/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_event_open(2): what the lives of tasks mean to the events that count them. */
#pragma once

#include <stdbool.h>

struct task;

extern bool perf_in_use; /* an event was ever opened; until then none of these is called */

/* The running task SELF is about to have CHILD started, which inherits events. */
void perf_fork(struct task *self, struct task *child);
/* The running task is to go to user mode for the first time. */
void perf_begin(struct task *task);
/* It has replaced its program. */
void perf_exec(struct task *task);
/* It ends, or has never begun. More than once does no harm. */
void perf_end(struct task *task);
