/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spinlocks: one CPU at a time, with its interrupts off, so that a handler may take them too. A CPU
 * that takes one twice, or releases one that it does not hold, panics with the lock's name.
 *
 * While a CPU waits for a lock, its interrupts are on if its caller had them on. Otherwise it does
 * nothing else, not even what other CPUs ask of it: that might need a lock which this CPU holds.
 * Nobody waits for ever because of that, as a CPU that waits for others holds no spinlock.
 *
 * In the checked build (`make checked`) each lock keeps statistics (kernel/lock/lock_stats.h), and
 * the order in which locks are taken is verified (kernel/lock/lock_order.h).
 */
#pragma once

#include <arch/interrupt_flag.h>
#include <arch/spinlock.h>
#include <stdbool.h>
#include <stdint.h>
#include "kernel/cpu/ipl.h"
#include "kernel/lock/lock_stats.h"

struct spinlock {
    const char *name;       /* referenced, never copied: of a constant */
    volatile uint32_t held; /* number of the CPU that holds it, + 1; 0: free */
    LOCK_RECORD(record)     /* checked build: its holder writes */
};

#define SPINLOCK_INITIALIZER(lock_name) {.name = (lock_name), .held = 0}
/* Of one of many that serve the same: the checked build keeps one record of all. */
#define SPINLOCK_INITIALIZER_SUMMED(lock_name) {.name = (lock_name), .held = 0, LOCK_RECORD_SUMMED}

/* Out of line: the lock was not free. The first with interrupts off, the second as STATE says. */
void spinlock_wait(struct spinlock *lock);
void spinlock_wait_open(struct spinlock *lock, uintptr_t state);
_Noreturn void spinlock_not_held(const struct spinlock *lock);

#ifdef QUIPU_CHECKED

void spinlock_init(struct spinlock *lock, const char *name);
uintptr_t spinlock_acquire(struct spinlock *lock);
void spinlock_release(struct spinlock *lock, uintptr_t state);
void spinlock_lock(struct spinlock *lock);
void spinlock_unlock(struct spinlock *lock);
bool spinlock_try(struct spinlock *lock);

#else

/* Out of line it would be a function of one name in several files. */
#define SPINLOCK_INLINE static inline __attribute__((always_inline))

/* For locks that are made at run time. */
static inline void spinlock_init(struct spinlock *lock, const char *name)
{
    *lock = (struct spinlock)SPINLOCK_INITIALIZER(name);
}

/* Returns the interrupt state for spinlock_release. Any context. */
SPINLOCK_INLINE uintptr_t spinlock_acquire(struct spinlock *lock)
{
    uintptr_t state = interrupts_save();

    if (__builtin_expect(!spinlock_word_take(&lock->held, spinlock_here()), 0))
        spinlock_wait_open(lock, state);
    return state;
}

/* Runs what has become due meanwhile, as spl_restore does. */
SPINLOCK_INLINE void spinlock_release(struct spinlock *lock, uintptr_t state)
{
    if (__builtin_expect(lock->held != spinlock_here(), 0))
        spinlock_not_held(lock);
    spinlock_word_free(&lock->held);
    spl_restore(state);
}

/* The same for callers that have interrupts off before and after. Only the checked build sees a
 * wrong unlock. */
static inline void spinlock_lock(struct spinlock *lock)
{
    if (__builtin_expect(!spinlock_word_take(&lock->held, spinlock_here()), 0))
        spinlock_wait(lock);
}

static inline void spinlock_unlock(struct spinlock *lock)
{
    spinlock_word_free(&lock->held);
}

/* Interrupts off: takes it if it is free, else returns false. */
static inline bool spinlock_try(struct spinlock *lock)
{
    return spinlock_word_take(&lock->held, spinlock_here());
}

#endif

/* Whether this CPU holds it. Interrupts off. */
static inline bool spinlock_held(const struct spinlock *lock)
{
    return lock->held == spinlock_here();
}
