/* SPDX-License-Identifier: BSD-2-Clause */
/* Between futex.c and futex_pi.c. */
#pragma once

#include "kernel/lock/spinlock.h"
#include "kernel/thread/wait.h"
#include "linux/program/program.h"

struct futex_key {
    uint64_t space, at;
};

struct futex_waiter {
    TAILQ_ENTRY(futex_waiter) link;
    struct futex_key key;
    uint32_t bits;
    uint32_t owner; /* of FUTEX_LOCK_PI: who would have it; else 0 */
    bool woken;
    bool granted; /* it has the lock now */
    struct wait_queue queue;
};

TAILQ_HEAD(futex_list, futex_waiter);

extern struct spinlock futex_lock;

/* The list that the waiters at KEY are in; with the lock. */
struct futex_list *futex_list(struct futex_key key);
/* The word at AT; brings its page. -EINVAL, -EFAULT. */
int futex_key(uint64_t at, bool private, struct futex_key *key);
static inline bool futex_key_is(struct futex_key a, struct futex_key b)
{
    return a.space == b.space && a.at == b.at;
}
/* With the lock: WAITER goes on. */
void futex_wake_one(struct futex_list *list, struct futex_waiter *waiter);
/* Until WAITER, which is in no list yet, is woken: 0, -EINTR, -ETIMEDOUT. With the lock. */
int futex_sleep(struct futex_waiter *waiter, uintptr_t *state, uint64_t deadline);
/* An absolute deadline of a call's argument; REAL: of the wall clock. */
int futex_deadline(const void *user, bool real, uint64_t *deadline);
