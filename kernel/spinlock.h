/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spinlocks that also keep interrupts off on this CPU, so that a handler may take them too. Taking
 * one twice on a CPU is a programming error and panics.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct spinlock {
    const char *name;
    volatile uint32_t held;
};

#define SPINLOCK_INITIALIZER(lock_name)                                                            \
    {                                                                                              \
        (lock_name), 0                                                                             \
    }

/* Returns the interrupt state for spinlock_release. Any context. */
uintptr_t spinlock_acquire(struct spinlock *lock);
void spinlock_release(struct spinlock *lock, uintptr_t state);

void spinlock_init(struct spinlock *lock, const char *name);
void spinlock_lock(struct spinlock *lock);
void spinlock_unlock(struct spinlock *lock);
bool spinlock_try(struct spinlock *lock);
