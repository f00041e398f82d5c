/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU time of a thread: what struct thread's cycles say, running or not. See
 * kernel/time/cpu_time.h. */
#pragma once

#include <stdbool.h>
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
/* Whether THREAD is on no CPU; *SWITCHES: if that is so twice, with one number, it was so between.
 * Any context; THREAD stays. Who tries that often has it of one that comes and goes all the time.
 */
#define THREAD_STANDS_ATTEMPTS 64
bool thread_stands(const struct thread *thread, uint64_t *switches);
