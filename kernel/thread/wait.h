/* SPDX-License-Identifier: BSD-2-Clause */
/* Wait queues: where threads sleep until somebody wakes them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include "kernel/lock/spinlock.h"

struct thread;

struct wait_queue {
    TAILQ_HEAD(, thread) threads;
};

#define WAIT_QUEUE_INITIALIZER(q) {TAILQ_HEAD_INITIALIZER((q).threads)}
#define WAIT_FOREVER              UINT64_MAX

void wait_queue_init(struct wait_queue *q);

/*
 * Releases LOCK (held by the caller through spinlock_acquire, which returned STATE), sleeps until
 * woken or until clock_now() reaches DEADLINE, takes LOCK again. No wake-up between the release and
 * the sleep is lost. 0 woken, -ETIMEDOUT. Callers check their condition in a loop. Thread context.
 */
int wait_sleep(struct wait_queue *q, struct spinlock *lock, uintptr_t *state, uint64_t deadline);

/*
 * The same, and -EINTR where an interruption of the caller (thread_interrupt) is pending when the
 * sleep begins, or ends it. It stays pending. Who was woken gets 0 even so: a wake-up that was
 * meant for one thread is never lost in one that was interrupted at the same time.
 */
int wait_interruptible(struct wait_queue *q, struct spinlock *lock, uintptr_t *state,
                       uint64_t deadline);

/* Wakes the longest sleeper (whether there was one), or all. Any context. */
bool wait_wake_one(struct wait_queue *q);
void wait_wake_all(struct wait_queue *q);
