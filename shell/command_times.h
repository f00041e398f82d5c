/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * command_times: how often each command ran and how long it took, as kstats shell:0:COMMAND of type
 * KSTAT_TYPE_TIMER. Of commands that run at the same time each counts by itself, and one that runs
 * another (time, on, watch) counts beside it.
 */
#ifndef SHELL_COMMAND_TIMES_H
#define SHELL_COMMAND_TIMES_H

#include <stdint.h>

struct command;

/* COMMAND began at START and has ended at END, both of clock_now(). Thread context. */
void command_times_add(const struct command *command, uint64_t start, uint64_t end);

#endif
