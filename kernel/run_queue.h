/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads that are ready to run, by priority. Interrupts off for every call. */
#pragma once

#include "kernel/thread.h"

void run_queue_init(void);
void run_queue_add(struct thread *thread);       /* behind its equals */
void run_queue_add_first(struct thread *thread); /* before its equals: it was interrupted, its turn is not over */
struct thread *run_queue_take(void);             /* the most urgent; NULL if none */
int run_queue_top(void);                         /* its priority; -1 if none */
