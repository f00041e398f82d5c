/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wait queues. Each has one of a table's locks, found by its address, so that pairs of threads that
 * share nothing seldom meet: the queue and what the record of a thread in it says of its sleep
 * change under it. It comes after the locks of whoever sleeps or wakes, and before the run queues'.
 * A queue may be gone as soon as nobody sleeps in it, a lock of the table never: so whoever looks
 * for a sleeper takes the lock of the queue that its record names, and looks again.
 *
 * A thread's pending interruption is not under a lock. A sleeper joins the queue and then looks at
 * it, still with the lock. Whoever interrupts sets it and then looks for the queue. So either the
 * sleeper sees it, and the sleep does not begin; or the other finds the thread in a queue, out of
 * which it takes it. Three may want to take a sleeper out of its queue: a waker, its timer, an
 * interrupter. Only one of them finds it there, under the lock, and that one decides how the sleep
 * ends. The others leave their mark elsewhere: a wake-up goes to the next sleeper in the queue, an
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
#include "lib/section.h"

/* Several times as many as CPUs can hold at once: 2 to this power. */
#if CPU_MAX > 1
#define WAIT_LOCK_BITS 6
#else
#define WAIT_LOCK_BITS 0
#endif
#define WAIT_LOCKS (1u << WAIT_LOCK_BITS)

static SHARED_DATA struct spinlock wait_locks[WAIT_LOCKS] = {
    [0 ... WAIT_LOCKS - 1] = SPINLOCK_INITIALIZER_SUMMED("wait queues"),
};

/* Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4): neighbours, and queues that
 * lie in the same place of as many stacks, get different ones. */
static struct spinlock *wait_lock_of(const struct wait_queue *q)
{
    uint32_t hash = (uint32_t)((uintptr_t)q / sizeof *q) * 2654435769u;

    return &wait_locks[(uint64_t)hash >> (32 - WAIT_LOCK_BITS)];
}

/* Takes the lock of the queue in which THREAD sleeps; NULL: in none. Interrupts off. */
static struct spinlock *wait_lock_sleeper(struct thread *thread)
{
    struct wait_queue *q;

    while ((q = *(struct wait_queue *const volatile *)&thread->waiting) != NULL) {
        struct spinlock *lock = wait_lock_of(q);

        spinlock_lock(lock);
        if (thread->waiting == q)
            return lock;
        spinlock_unlock(lock);
    }
    return NULL;
}

void wait_queue_init(struct wait_queue *q)
{
    TAILQ_INIT(&q->threads);
}

/* Takes THREAD out of the queue in which it sleeps, whose lock the caller has, and makes it ready.
 */
static void wait_take_out(struct thread *thread)
{
    TAILQ_REMOVE(&thread->waiting->threads, thread, queue);
    thread->waiting = NULL;
    scheduler_ready(thread);
}

static void wait_wake(struct thread *thread)
{
    thread->woken = true;
    wait_take_out(thread);
}

static void wait_sleep_expired(struct timer *timer)
{
    struct thread *thread =
        (struct thread *)((char *)timer - __builtin_offsetof(struct thread, sleep_timer));
    struct spinlock *lock = wait_lock_sleeper(thread);

    if (lock == NULL)
        return;
    wait_take_out(thread);
    spinlock_unlock(lock);
}

/* Whether somebody has interrupted this thread, which has just said that it waits. */
static bool wait_is_interrupted(const struct thread *self)
{
    if (CPU_MAX > 1)
        __atomic_thread_fence(__ATOMIC_SEQ_CST); /* the other half is in thread_interrupt */
    return self->interrupted;
}

static int wait_in_queue(struct wait_queue *q, struct spinlock *lock, uintptr_t *state,
                         uint64_t deadline, bool interruptible)
{
    struct thread *self = thread_current();
    struct spinlock *its_lock = wait_lock_of(q);

    lock_order_sleep(lock);
    spinlock_lock(its_lock);
    self->woken = false;
    self->interruptible = interruptible;
    self->waiting = q;
    if (interruptible && wait_is_interrupted(self)) {
        self->waiting = NULL;
        spinlock_unlock(its_lock);
        return -EINTR;
    }
    self->state = THREAD_SLEEPING;
    TAILQ_INSERT_TAIL(&q->threads, self, queue);
    spinlock_unlock(its_lock);
    if (deadline != WAIT_FOREVER)
        timer_set(&self->sleep_timer, deadline, wait_sleep_expired);
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
    struct spinlock *lock = wait_lock_of(q);
    uintptr_t state = spinlock_acquire(lock);
    bool any = !TAILQ_EMPTY(&q->threads);

    if (any)
        wait_wake(TAILQ_FIRST(&q->threads));
    spinlock_release(lock, state);
    return any;
}

void wait_wake_all(struct wait_queue *q)
{
    struct spinlock *lock = wait_lock_of(q);
    uintptr_t state = spinlock_acquire(lock);

    while (!TAILQ_EMPTY(&q->threads))
        wait_wake(TAILQ_FIRST(&q->threads));
    spinlock_release(lock, state);
}

void thread_interrupt(struct thread *thread)
{
    uintptr_t state = interrupts_save();
    struct spinlock *lock;

    thread->interrupted = 1;
    if (CPU_MAX > 1)
        __atomic_thread_fence(__ATOMIC_SEQ_CST); /* the other half is in wait_is_interrupted */
    lock = wait_lock_sleeper(thread);
    if (lock != NULL && thread->interruptible && thread->interrupted) /* not taken meanwhile */
        wait_take_out(thread);
    else if (thread->user)
        scheduler_poke(thread);
    if (lock != NULL)
        spinlock_unlock(lock);
    spl_restore(state);
}

bool thread_interrupted(void)
{
    return thread_current()->interrupted != 0;
}

bool thread_interruption_take(void)
{
    struct thread *self = thread_current();
    bool was = self->interrupted != 0;

    /* One that comes in between is taken with the one that was there: its reason was told before.
     */
    if (was) {
        self->interrupted = 0;
        if (CPU_MAX > 1)
            __atomic_thread_fence(__ATOMIC_SEQ_CST); /* and then the caller looks for reasons */
    }
    return was;
}
