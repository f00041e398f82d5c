/* SPDX-License-Identifier: BSD-2-Clause */
/* Wait queues. The queue, the sleeper's state and its timer change with interrupts off. */
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

void wait_queue_init(struct wait_queue *q)
{
    TAILQ_INIT(&q->threads);
}

/* Takes THREAD out of the queue in which it sleeps and makes it ready. */
static void wake(struct thread *thread)
{
    TAILQ_REMOVE(&thread->waiting->threads, thread, queue);
    thread->waiting = NULL;
    timer_cancel(&thread->sleep_timer);
    scheduler_ready(thread);
}

static void sleep_expired(struct timer *timer)
{
    struct thread *thread =
        (struct thread *)((char *)timer - __builtin_offsetof(struct thread, sleep_timer));

    if (thread->waiting) {
        thread->timed_out = true;
        wake(thread);
    }
}

int wait_sleep(struct wait_queue *q, struct spinlock *lock, uintptr_t *state, uint64_t deadline,
               bool interruptible)
{
    struct thread *self = thread_current();

    lock_order_sleep(lock);
    if (interruptible && console_interrupted())
        return -EINTR;
    self->timed_out = false;
    self->woken_early = false;
    self->interruptible = interruptible;
    self->waiting = q;
    self->state = THREAD_SLEEPING;
    TAILQ_INSERT_TAIL(&q->threads, self, queue);
    if (deadline != WAIT_FOREVER)
        timer_set(&self->sleep_timer, deadline, sleep_expired);
    spinlock_unlock(lock); /* interrupts stay off across the switch */
    scheduler_block();
    spl_restore(*state);
    *state = spinlock_acquire(lock);
    if (self->woken_early)
        return -EINTR;
    return self->timed_out ? -ETIMEDOUT : 0;
}

void wait_wake_one(struct wait_queue *q)
{
    uintptr_t state = interrupts_save();

    if (!TAILQ_EMPTY(&q->threads))
        wake(TAILQ_FIRST(&q->threads));
    spl_restore(state);
}

void wait_wake_all(struct wait_queue *q)
{
    uintptr_t state = interrupts_save();

    while (!TAILQ_EMPTY(&q->threads))
        wake(TAILQ_FIRST(&q->threads));
    spl_restore(state);
}

void thread_interrupt(struct thread *thread)
{
    uintptr_t state = interrupts_save();

    if (thread->waiting && thread->interruptible) {
        thread->woken_early = true;
        wake(thread);
    }
    spl_restore(state);
}
