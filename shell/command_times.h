/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * command_times: how often each command ran and how long it took. Of commands that run at the same
 * time each counts by itself, and one that runs another (time, on, watch) counts beside it.
 */
#ifndef SHELL_COMMAND_TIMES_H
#define SHELL_COMMAND_TIMES_H

#include <stdint.h>
#include <sys/kstat.h>

struct command;

/* COMMAND began at START and has ended at END, both of clock_now(). Thread context. */
void command_times_add(const struct command *command, uint64_t start, uint64_t end);

/*
 * Upcall, for whoever shows the times: LIST is told of each command once, after it has run for the
 * first time; now, if it has run already. Its timer is there for ever. Once; thread context, and so
 * is LIST called.
 */
void command_times_list(void (*list)(const struct command *command, kstat_timer_t *timer));
/* What is in TIMER, at one moment. */
void command_times_copy(kstat_timer_t *copy, const kstat_timer_t *timer);

#endif
