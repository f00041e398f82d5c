/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting for children. Who waits for a certain one sleeps in that one's queue, who waits for any
 * in its own process's, so that an end wakes nobody else. */
#include "kernel/process/process_private.h"
#include "kernel/process/process_table.h"
#include "lib/errno.h"

/* The child meant by ID that has ended, else NULL and the queue where to wait for it; *QUEUE NULL:
 * there is no such child. Under the lock. */
static struct process *process_wait_look(struct process *self, uint32_t id,
                                         struct wait_queue **queue, struct process **awaited)
{
    struct process *child;

    *queue = NULL;
    *awaited = NULL;
    if (id == PROCESS_ANY) {
        if (self->waitable > 0)
            *queue = &self->waiters;
        return TAILQ_FIRST(&self->ended);
    }
    child = process_table_find(id);
    if (child == NULL || child->parent != self || child->adopted)
        return NULL;
    *queue = &child->end_waiters;
    *awaited = child;
    return child->state == PROCESS_ENDED ? child : NULL;
}

/* One sleep, in which AWAITED (or nobody) is held. Under the lock; may free AWAITED. */
static int process_wait_sleep(struct wait_queue *queue, struct process *awaited, unsigned options,
                              uintptr_t *state)
{
    int result;

    if (awaited != NULL)
        awaited->references++;
    if (options & PROCESS_UNINTERRUPTED)
        result = wait_sleep(queue, &process_tree_lock, state, WAIT_FOREVER);
    else
        result = wait_interruptible(queue, &process_tree_lock, state, WAIT_FOREVER);
    if (awaited != NULL) {
        spinlock_release(&process_tree_lock, *state);
        process_release(awaited);
        *state = spinlock_acquire(&process_tree_lock);
    }
    return result;
}

int process_wait(uint32_t id, unsigned options, int *status)
{
    struct process *self = process_current(), *child, *awaited;
    struct wait_queue *queue;
    uintptr_t state = spinlock_acquire(&process_tree_lock);
    int result = 0;

    while ((child = process_wait_look(self, id, &queue, &awaited)) == NULL && queue != NULL &&
           !(options & PROCESS_NO_HANG) && result == 0)
        result = process_wait_sleep(queue, awaited, options, &state);
    if (child != NULL) {
        result = (int)child->id;
        process_take_out(child, &self->ended);
    } else if (queue == NULL) {
        result = -ECHILD;
    }
    spinlock_release(&process_tree_lock, state);
    if (child != NULL) {
        if (status != NULL)
            *status = child->status;
        process_bury(child);
    }
    return result;
}
