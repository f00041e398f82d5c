/* SPDX-License-Identifier: BSD-2-Clause */
/* What linux/hwperf*.c share. */
#pragma once

#include "kernel/hwperf/hwperf.h"
#include "linux/hwperf.h"
#include "linux/program_private.h"

/* With hwperf_lock. Counters of PROGRAM's tasks start, 0 or a positive error with all stopped; or
 * stop. */
int hwperf_start_tasks(struct program *program);
void hwperf_stop_tasks(struct program *program);
/* The program of that number, with hwperf_lock: it stays until that is given up. NULL: it ends. */
struct program *hwperf_find_program(uint32_t id);
/* PROGRAM's block, made if there is none; NULL: no memory. */
struct hwperf_block *hwperf_block_of(struct program *program);
/* The same of its parent, if that is not the kernel; false: no memory. */
bool hwperf_block_of_parent(struct program *program);
/* SIGNAL (0: none) is what PROGRAM gets from now on: 0, ENOMEM. */
int hwperf_signal_set(struct program *program, int signal);
/* Arguments of a program's, checked: 0, -EFAULT, -EINVAL, -ENODEV. */
int hwperf_control_in(uintptr_t user, struct hwperf_control *control);
