/* SPDX-License-Identifier: BSD-2-Clause */
/* Spinlocks, the slow part: waiting for one that is not free, and finding misuse. */
#include "kernel/lock/spinlock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/base/panic.h"

#ifdef SPINLOCK_CPU_ID
_Static_assert(__builtin_offsetof(struct cpu, id) == SPINLOCK_CPU_ID, "<machine/spinlock.h>");
#endif

static void spinlock_check_not_mine(const struct spinlock *lock)
{
    if (lock->held == spinlock_here())
        panic("spinlock: %s taken twice", lock->name);
}

void spinlock_wait(struct spinlock *lock)
{
    uint32_t me = spinlock_here();

    spinlock_check_not_mine(lock);
    do {
        spinlock_pause();
    } while (lock->held || !spinlock_word_take(&lock->held, me));
}

void spinlock_wait_open(struct spinlock *lock, uintptr_t state)
{
    if (!interrupts_were_enabled(state)) {
        spinlock_wait(lock);
        return;
    }
    spinlock_check_not_mine(lock); /* one held with interrupts off is not let go by an interrupt */
    do {
        interrupts_enable();
        spinlock_pause(); /* the first instruction after which an interrupt can come */
        interrupts_disable();
    } while (lock->held || !spinlock_word_take(&lock->held, spinlock_here()));
}

void spinlock_not_held(const struct spinlock *lock)
{
    if (!lock->held)
        panic("spinlock: %s released, but nobody holds it", lock->name);
    panic("spinlock: %s released, but CPU %u holds it", lock->name, (unsigned)lock->held - 1);
}
