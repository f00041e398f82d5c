/* SPDX-License-Identifier: BSD-2-Clause */
/* Spinlocks. */
#include "kernel/spinlock.h"
#include <arch/interrupt_flag.h>
#include "kernel/ipl.h"
#include "kernel/panic.h"

void spinlock_init(struct spinlock *lock, const char *name)
{
    lock->name = name;
    lock->held = 0;
}

bool spinlock_try(struct spinlock *lock)
{
#ifdef __x86_64__
    return __atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE) == 0;
#else
    if (lock->held)
        return false;
    lock->held = 1;
    return true;
#endif
}

void spinlock_lock(struct spinlock *lock)
{
    while (!spinlock_try(lock))
        ;
}

void spinlock_unlock(struct spinlock *lock)
{
    lock->held = 0;
}

uintptr_t spinlock_acquire(struct spinlock *lock)
{
    uintptr_t state = interrupts_save();

    spinlock_lock(lock);
    return state;
}

void spinlock_release(struct spinlock *lock, uintptr_t state)
{
    lock->held = 0;
    spl_restore(state);
}
