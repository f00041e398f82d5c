/* SPDX-License-Identifier: BSD-2-Clause */
/* r10k_counters(5): what the lives of programs mean to their event counters. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct process;
struct program;
struct task;

/* Somebody has ever asked for counters; until then only hwperf_end is called. */
extern bool hwperf_in_use;

/* The running program SELF is about to make CHILD. */
void hwperf_fork(struct program *self, struct program *child);
/* The running task is to go to user mode for the first time. */
void hwperf_begin(struct task *task);
/* The running task ends. */
void hwperf_end(struct task *task);
/* The running thread of PROGRAM is on its way to user mode, and was interrupted. */
void hwperf_return(struct program *program);
/* It is another program now. */
void hwperf_exec(struct program *program);
/* With program_lock: PROGRAM's last thread has ended; its parent may get what it counted. */
void hwperf_settle(struct program *program);
/* PROGRAM is out of all tables. */
void hwperf_discard(struct program *program);

/* The ioctls of /proc/PID. */
long hwperf_ioctl(struct process *process, uint32_t command, uintptr_t argument, bool user);
