/* SPDX-License-Identifier: BSD-2-Clause */
/* Spinlocks. With one CPU the flag only finds mistakes; turning interrupts off is what excludes
 * others. */
#include "kernel/spinlock.h"
#include <arch/interrupt_flag.h>
#include "kernel/ipl.h"
#include "kernel/panic.h"

uintptr_t spinlock_acquire(struct spinlock *lock)
{
    uintptr_t state = interrupts_save();

    if (lock->held)
        panic("spinlock: %s taken twice", lock->name);
    lock->held = 1;
    return state;
}

void spinlock_release(struct spinlock *lock, uintptr_t state)
{
    lock->held = 0;
    spl_restore(state);
}
