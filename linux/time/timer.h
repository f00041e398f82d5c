/* SPDX-License-Identifier: BSD-2-Clause */
/* Timers of programs: alarm, setitimer, timer_create, and RLIMIT_CPU. */
#pragma once

#include <stdint.h>

struct program;

/* CLOCK's time: 0, -EINVAL. */
int time_of_clock(int32_t clock, uint64_t *ns);
/* CLOCK as one that is the same for every caller, if it is a CPU clock: negative. */
int32_t time_cpu_clock(int32_t clock);
/* The time of such a one, as ASKER may know it: 0, -EINVAL. With the lock. */
int time_of_cpu_clock(int32_t clock, const struct program *asker, uint64_t *ns);
/* CPU time of all threads so far; with the lock. */
uint64_t time_of_program(struct program *program);
/* RLIMIT_CPU has changed: looks again. */
void timers_watch_cpu(struct program *program);
