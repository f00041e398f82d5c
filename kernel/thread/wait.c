/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wait queues. One lock for all of them: the queues and what a sleeping thread's record says of its
 * sleep change under it. It comes after the locks of whoever sleeps or wakes, and before the run
 * queues'.
 *
 * A thread's pending interruption changes under it as well. A sleeper looks at it and joins the
 * queue without letting go of the lock in between. So whoever interrupts comes either before that
 * look, and the sleep does not begin; or after it, and finds the thread in a queue, out of which it
 * takes it. Three may want to take a sleeper out of its queue: a waker, its timer, an interrupter.
 * Only one of them finds it there, under the lock, and that one decides how the sleep ends. The
 * others leave their mark elsewhere: a wake-up goes to the next sleeper in the queue, an
 * interruption stays pending.
 */
#include "kernel/thread/wait.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/lock/lock_order.h"
#include "kernel/thread/scheduler.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"

static struct spinlock wait_lock = SPINLOCK_INITIALIZER("wait queues");

void wait_queue_init(struct wait_queue *q)
{
    TAILQ_INIT(&q->threads);
}

/* Takes THREAD out of the queue in which it sleeps and makes it ready. */
static void wait_take_out(struct thread *thread)
{
    TAILQ_REMOVE(&thread->waiting->threads, thread, queue);
    thread->waiting = NULL;
    scheduler_ready(thread);
}

static void wake(struct thread *thread)
{
    thread->woken = true;
    wait_take_out(thread);
}

static void sleep_expired(struct timer *timer)
{
    struct thread *thread =
        (struct thread *)((char *)timer - __builtin_offsetof(struct thread, sleep_timer));

    spinlock_lock(&wait_lock);
    if (thread->waiting)
        wait_take_out(thread);
    spinlock_unlock(&wait_lock);
}

static int wait_in_queue(struct wait_queue *q, struct spinlock *lock, uintptr_t *state,
                         uint64_t deadline, bool interruptible)
{
    struct thread *self = thread_current();

    lock_order_sleep(lock);
    spinlock_lock(&wait_lock);
    if (interruptible && self->interrupted) {
        spinlock_unlock(&wait_lock);
        return -EINTR;
    }
    self->woken = false;
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
    if (self->woken)
        return 0;
    return interruptible && self->interrupted ? -EINTR : -ETIMEDOUT;
}

int wait_sleep(struct wait_queue *q, struct spinlock *lock, uintptr_t *state, uint64_t deadline)
{
    return wait_in_queue(q, lock, state, deadline, false);
}

int wait_interruptible(struct wait_queue *q, struct spinlock *lock, uintptr_t *state,
                       uint64_t deadline)
{
    return wait_in_queue(q, lock, state, deadline, true);
}

bool wait_wake_one(struct wait_queue *q)
{
    uintptr_t state = spinlock_acquire(&wait_lock);
    bool any = !TAILQ_EMPTY(&q->threads);

    if (any)
        wake(TAILQ_FIRST(&q->threads));
    spinlock_release(&wait_lock, state);
    return any;
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

    thread->interrupted = true;
    if (thread->waiting && thread->interruptible)
        wait_take_out(thread);
    else if (thread->user)
        scheduler_poke(thread);
    spinlock_release(&wait_lock, state);
}

bool thread_interrupted(void)
{
    return thread_current()->interrupted;
}

bool thread_interruption_take(void)
{
    struct thread *self = thread_current();
    uintptr_t state = spinlock_acquire(&wait_lock); /* or one that comes now would be forgotten */
    bool was = self->interrupted;

    self->interrupted = false;
    spinlock_release(&wait_lock, state);
    return was;
}
