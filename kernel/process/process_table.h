/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers of processes, and who has which. A number that was given back is not given out again
 * before all others that are free were. Finding a process, a free number and giving one back cost
 * the same whatever number of processes there are. All calls under the lock of all processes.
 */
#pragma once

#include <stdint.h>

struct process;

/* Gives PROCESS a free number, PROCESS->id: 0, -EAGAIN (none is free), -ENOMEM. */
int process_table_add(struct process *process);
void process_table_remove(const struct process *process);
/* NULL: nobody has it. Number 0 is not in the table. */
struct process *process_table_find(uint32_t id);
/* The one with the lowest number above ID, at the cost of 512 words at most; NULL: none. */
struct process *process_table_next(uint32_t id);
