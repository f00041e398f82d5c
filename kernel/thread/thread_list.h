/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of threads that have not ended, for thread.c; others ask thread_snapshot (thread.h). */
#pragma once

#include <sys/queue.h>
#include "kernel/lock/spinlock.h"
#include "kernel/thread/thread.h"

/* Everything that says "thread lock" changes under it. */
extern struct spinlock thread_lock;
extern TAILQ_HEAD(thread_tailq, thread) all_threads; /* in order of their ids; thread lock */

/* Gives it the next id, and appends it. Thread lock. */
void thread_list_add(struct thread *thread);
/* Thread lock. */
void thread_list_remove(struct thread *thread);

/* VISIT is called with each thread, in order of their ids and with the thread lock held, and the
 * lock is left after a few of them. Whoever is there all the while is visited once, who ends
 * meanwhile perhaps, who begins meanwhile not. Thread context. */
void thread_walk(void (*visit)(struct thread *, void *), void *argument);
