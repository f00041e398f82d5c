/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of kernel/process/ share. */
#pragma once

#include "kernel/process/process.h"

/* The lock of all processes: numbers, the tree, states, references. It comes before the locks of
 * memory and of wait queues; no process's own lock is held together with it. */
extern struct spinlock process_tree_lock;

/* Under that lock: CHILD, which is in its parent's LIST, loses its number and its parent. Its
 * number's reference is the caller's now. */
void process_take_out(struct process *child, struct process_list *list);

/* Frees PROCESS, which was ENDED and is out of its parent's list, with its last thread. Thread
 * context, without the lock. */
void process_bury(struct process *process);

/* Calls all end hooks. */
void process_call_end_hooks(struct process *process);
