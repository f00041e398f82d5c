/* SPDX-License-Identifier: BSD-2-Clause */
/* Wait queues: where threads sleep until somebody wakes them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include "kernel/spinlock.h"

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
 * the sleep is lost. 0 woken, -ETIMEDOUT, -EINTR (only where INTERRUPTIBLE). Callers check their
 * condition in a loop. Thread context.
 */
int wait_sleep(struct wait_queue *q, struct spinlock *lock, uintptr_t *state, uint64_t deadline,
               bool interruptible);

/* Wakes the longest sleeper, or all. Any context. */
void wait_wake_one(struct wait_queue *q);
void wait_wake_all(struct wait_queue *q);
