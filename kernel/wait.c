/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wait queues. One lock for all of them: the queues and what a sleeping thread's record says of its
 * sleep change under it. It comes after the locks of whoever sleeps or wakes, and before the run
 * queues'.
 */
#include "kernel/wait.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "kernel/clock.h"
#include "kernel/console.h"
#include "kernel/cpu.h"
#include "kernel/lock_order.h"
#include "kernel/scheduler.h"
#include "kernel/thread.h"
#include "lib/errno.h"

static struct spinlock wait_lock = SPINLOCK_INITIALIZER("wait queues");

void wait_queue_init(struct wait_queue *q)
{
    TAILQ_INIT(&q->threads);
}

/* Takes THREAD out of the queue in which it sleeps and makes it ready. */
static void wake(struct thread *thread)
{
    TAILQ_REMOVE(&thread->waiting->threads, thread, queue);
    thread->waiting = NULL;
    scheduler_ready(thread);
}

static void sleep_expired(struct timer *timer)
{
    struct thread *thread =
        (struct thread *)((char *)timer - __builtin_offsetof(struct thread, sleep_timer));

    spinlock_lock(&wait_lock);
    if (thread->waiting) {
        thread->timed_out = true;
        wake(thread);
    }
    spinlock_unlock(&wait_lock);
}

int wait_sleep(struct wait_queue *q, struct spinlock *lock, uintptr_t *state, uint64_t deadline,
               bool interruptible)
{
    struct thread *self = thread_current();

    lock_order_sleep(lock);
    spinlock_lock(&wait_lock);
    if (interruptible && console_interrupted()) {
        spinlock_unlock(&wait_lock);
        return -EINTR;
    }
    self->timed_out = false;
    self->woken_early = false;
    self->interruptible = interruptible;
    self->waiting = q;
    self->state = THREAD_SLEEPING;
    TAILQ_INSERT_TAIL(&q->threads, self, queue);
    spinlock_unlock(&wait_lock);
    if (deadline != WAIT_FOREVER)
        timer_set(&self->sleep_timer, deadline, sleep_expired);
    spinlock_unlock(lock); /* interrupts stay off across the switch */
    scheduler_block();
    spl_restore(*state);
    if (deadline != WAIT_FOREVER)
        timer_cancel_wait(&self->sleep_timer);
    *state = spinlock_acquire(lock);
    if (self->woken_early)
        return -EINTR;
    return self->timed_out ? -ETIMEDOUT : 0;
}

void wait_wake_one(struct wait_queue *q)
{
    uintptr_t state = spinlock_acquire(&wait_lock);

    if (!TAILQ_EMPTY(&q->threads))
        wake(TAILQ_FIRST(&q->threads));
    spinlock_release(&wait_lock, state);
}

void wait_wake_all(struct wait_queue *q)
{
    uintptr_t state = spinlock_acquire(&wait_lock);

    while (!TAILQ_EMPTY(&q->threads))
        wake(TAILQ_FIRST(&q->threads));
    spinlock_release(&wait_lock, state);
}

void thread_interrupt(struct thread *thread)
{
    uintptr_t state = spinlock_acquire(&wait_lock);

    if (thread->waiting && thread->interruptible) {
        thread->woken_early = true;
        wake(thread);
    }
    spinlock_release(&wait_lock, state);
}
