/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU time of a thread: what struct thread's cycles say, running or not. See
 * kernel/time/cpu_time.h. */
#pragma once

#include <stdint.h>

struct thread;

/* In cycles: all of it, and the part in user mode. */
struct thread_time {
    uint64_t all, user;
};

/* Of THREAD at one moment, neither part, nor the rest, less than what was told before. Interrupts
 * off, and THREAD stays. */
void thread_time_get(struct thread *thread, struct thread_time *out);
uint64_t cpu_time_of_thread(struct thread *thread); /* all of it */
