/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Condition variables: a wait queue. The sleeper joins it under the mutex's spinlock, and who
 * changes the condition has to enter the mutex, hence take that spinlock, first: so the sleeper is
 * in the queue before any signal that is meant for it.
 */
#include "kernel/thread/condvar.h"
#include "kernel/base/panic.h"

#define CALLER ((uintptr_t)__builtin_return_address(0))

void cv_init(kcondvar_t *cv, const char *name)
{
    cv->name = name;
    wait_queue_init(&cv->waiters);
}

void cv_destroy(kcondvar_t *cv)
{
    if (cv_has_waiters(cv))
        panic("condvar: %s destroyed while threads wait for it", cv->name);
}

static int condvar_wait(kcondvar_t *cv, kmutex_t *mutex, uint64_t deadline, bool interruptible,
                        uintptr_t pc)
{
    uintptr_t state = mutex_leave_for_sleep(mutex);
    int result = interruptible ? wait_interruptible(&cv->waiters, &mutex->lock, &state, deadline)
                               : wait_sleep(&cv->waiters, &mutex->lock, &state, deadline);

    mutex_enter_after_sleep(mutex, state, pc);
    return result;
}

void cv_wait(kcondvar_t *cv, kmutex_t *mutex)
{
    condvar_wait(cv, mutex, WAIT_FOREVER, false, CALLER);
}

int cv_wait_sig(kcondvar_t *cv, kmutex_t *mutex)
{
    return condvar_wait(cv, mutex, WAIT_FOREVER, true, CALLER);
}

int cv_timedwait(kcondvar_t *cv, kmutex_t *mutex, uint64_t deadline)
{
    return condvar_wait(cv, mutex, deadline, false, CALLER);
}

int cv_timedwait_sig(kcondvar_t *cv, kmutex_t *mutex, uint64_t deadline)
{
    return condvar_wait(cv, mutex, deadline, true, CALLER);
}

void cv_signal(kcondvar_t *cv)
{
    wait_wake_one(&cv->waiters);
}

void cv_broadcast(kcondvar_t *cv)
{
    wait_wake_all(&cv->waiters);
}

bool cv_has_waiters(const kcondvar_t *cv)
{
    return !TAILQ_EMPTY(&cv->waiters.threads);
}
