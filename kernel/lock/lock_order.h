/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of locks, verified in the checked build. Locks form classes by name. Taking B while A
 * is held says that A comes before B; if something already said that B comes before A, there is a
 * schedule in which two threads wait for each other for ever, and the kernel panics, naming both
 * locks and where each was taken, whether or not that schedule has come to pass. Several locks of
 * one class are taken in the order of their addresses, either way, but always the same.
 *
 * Spinlocks are ordered among those that their CPU holds, mutexes among their thread's. A thread
 * that holds a spinlock may not sleep, so a mutex never comes after a spinlock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "kernel/lock/lock_stats.h"

struct spinlock;

/* A lock that is held, or is about to be. */
struct lock_hold {
    const void *lock;
    struct lock_record *record;
    uintptr_t pc;   /* where it was taken: a return address */
    uint64_t since; /* cycles */
};

#if LOCK_STATS

#define LOCK_CLASSES 128 /* the first one means: none, the table was full */

/* The class of locks called NAME. Under lock_order_enter. */
unsigned lock_order_class(const char *name);
/* NEXT is about to be taken while HELD is held. Interrupts off. */
void lock_order_check(const struct lock_hold *held, const struct lock_hold *next);
/* A thread is about to sleep, or might: panics if this CPU holds a spinlock other than EXCEPT. */
void lock_order_sleep(const struct spinlock *except);
/* Ends all checking, for a panic's sake; whether it has ended. */
void lock_order_end(void);
bool lock_order_ended(void);
/* Puts in the log, once, that a table was full and the order is no longer verified wholly. Thread
 * context, no locks held. */
void lock_order_complain(void);

/* The lock of the checker's own tables; outside of all order. Interrupts off. */
void lock_order_enter(void);
void lock_order_leave(void);

#else

static inline void lock_order_end(void)
{
}

static inline void lock_order_sleep(const struct spinlock *except)
{
    (void)except;
}

#endif
