/* SPDX-License-Identifier: BSD-2-Clause */
/* Who runs next. Between threads, wait queues and the interrupt exit; interrupts off for every call. */
#pragma once

#include "kernel/thread.h"

/* Makes a sleeping or new thread ready; asks for a switch if it is more urgent than the running one. */
void scheduler_ready(struct thread *thread);
/* The running thread goes to sleep or ends (its state says which); returns when it runs again. */
void scheduler_block(void);
