/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mutexes: an owner, under a spinlock that is held for a few instructions, and a queue of those who
 * wait for it. Who leaves wakes one of them while it still has the spinlock, and that one looks
 * again under the spinlock, so no wake-up is lost.
 */
#include "kernel/thread/mutex.h"
#include <arch/cpu.h>
#include <sys/evcnt.h>
#include "kernel/cpu/cpu.h"
#include "kernel/lock/lock_order.h"
#include "kernel/base/panic.h"
#include "kernel/thread/thread.h"

static struct evcnt waits = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "sched", "mutex waits");
EVCNT_ATTACH_STATIC(waits);

#define CALLER ((uintptr_t)__builtin_return_address(0))

void mutex_init(kmutex_t *mutex, const char *name)
{
    mutex->name = name;
    mutex->owner = NULL;
    mutex->waiting = 0;
    mutex_check_init(mutex);
    spinlock_init(&mutex->lock, "mutex interlock");
    wait_queue_init(&mutex->waiters);
}

void mutex_destroy(kmutex_t *mutex)
{
    if (mutex->owner)
        panic("mutex: %s destroyed while %s owns it", mutex->name, mutex->owner->name);
    if (mutex->waiting)
        panic("mutex: %s destroyed while threads wait for it", mutex->name);
}

/* Waits until MUTEX is free and takes it, under its lock. */
static void mutex_take(kmutex_t *mutex, struct thread *self, uintptr_t *state, uintptr_t pc)
{
    uint64_t asked = mutex_check_clock();
    bool contended = mutex->owner != NULL;

    if (contended)
        evcnt_incr(&waits);
    while (mutex->owner) {
        mutex->waiting++;
        wait_sleep(&mutex->waiters, &mutex->lock, state, WAIT_FOREVER);
        mutex->waiting--;
    }
    mutex->owner = self;
    mutex_check_taken(mutex, pc, contended, asked);
}

/* Under its lock. */
static void mutex_give_up(kmutex_t *mutex)
{
    mutex_check_left(mutex);
    mutex->owner = NULL;
    if (mutex->waiting)
        wait_wake_one(&mutex->waiters);
}

void mutex_enter(kmutex_t *mutex)
{
    struct thread *self = thread_current();
    uintptr_t state;

    mutex_check_enter(mutex, CALLER);
    state = spinlock_acquire(&mutex->lock);
    if (mutex->owner == self)
        panic("mutex: %s entered twice by %s", mutex->name, self->name);
    mutex_take(mutex, self, &state, CALLER);
    spinlock_release(&mutex->lock, state);
}

bool mutex_tryenter(kmutex_t *mutex)
{
    uintptr_t state = spinlock_acquire(&mutex->lock);
    bool is_free = mutex->owner == NULL;

    if (is_free)
        mutex_take(mutex, thread_current(), &state, CALLER);
    spinlock_release(&mutex->lock, state);
    return is_free;
}

static void mutex_check_owned(const kmutex_t *mutex, const char *what)
{
    const struct thread *owner = mutex->owner;

    if (owner != thread_current())
        panic("mutex: %s %s by %s, but %s owns it", mutex->name, what, thread_current()->name,
              owner ? owner->name : "nobody");
}

void mutex_exit(kmutex_t *mutex)
{
    uintptr_t state;

    mutex_check_owned(mutex, "left");
    state = spinlock_acquire(&mutex->lock);
    mutex_give_up(mutex);
    spinlock_release(&mutex->lock, state);
}

bool mutex_owned(const kmutex_t *mutex)
{
    return mutex->owner == thread_current();
}

uintptr_t mutex_leave_for_sleep(kmutex_t *mutex)
{
    uintptr_t state;

    mutex_check_owned(mutex, "given up for a wait");
    state = spinlock_acquire(&mutex->lock);
    mutex_give_up(mutex);
    return state;
}

void mutex_enter_after_sleep(kmutex_t *mutex, uintptr_t state, uintptr_t pc)
{
    mutex_take(mutex, thread_current(), &state, pc);
    spinlock_release(&mutex->lock, state);
}

uint64_t mutex_waits(unsigned cpu)
{
    return *(const volatile uint64_t *)((uintptr_t)&waits.ev_cell0 - cpu * CPU_STRIDE);
}
