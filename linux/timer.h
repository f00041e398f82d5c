/* SPDX-License-Identifier: BSD-2-Clause */
/* Timers of programs: alarm, setitimer, timer_create, and RLIMIT_CPU. */
#pragma once

#include <stdint.h>

struct program;

/* CLOCK's time: 0, -EINVAL. */
int time_of_clock(int32_t clock, uint64_t *ns);
/* CPU time of all threads so far; with the lock. */
uint64_t time_of_program(struct program *program);
/* RLIMIT_CPU has changed: looks again. */
void timers_watch_cpu(struct program *program);
