/* SPDX-License-Identifier: BSD-2-Clause */
/* The ready threads of a CPU. */
#include "kernel/thread/run_queue.h"

void run_queue_init(struct run_queue *queue)
{
    spinlock_init(&queue->lock, "run queue");
    queue->top = -1;
}

static void run_queue_mark(struct run_queue *queue, unsigned priority)
{
    queue->in_use |= 1u << priority;
    if ((int32_t)priority > queue->top)
        queue->top = (int32_t)priority;
    queue->count++;
}

static void run_queue_unmark(struct run_queue *queue, unsigned priority)
{
    if (!queue->lists[priority].first) {
        queue->in_use &= ~(1u << priority);
        queue->top = queue->in_use ? 31 - __builtin_clz(queue->in_use) : -1;
    }
    queue->count--;
}

void run_queue_add(struct run_queue *queue, struct thread *thread)
{
    unsigned priority = thread->priority;

    thread->next_ready = NULL;
    if (queue->lists[priority].first)
        queue->lists[priority].last->next_ready = thread;
    else
        queue->lists[priority].first = thread;
    queue->lists[priority].last = thread;
    run_queue_mark(queue, priority);
}

void run_queue_add_first(struct run_queue *queue, struct thread *thread)
{
    unsigned priority = thread->priority;

    thread->next_ready = queue->lists[priority].first;
    if (!thread->next_ready)
        queue->lists[priority].last = thread;
    queue->lists[priority].first = thread;
    run_queue_mark(queue, priority);
}

struct thread *run_queue_take(struct run_queue *queue)
{
    struct thread *thread;
    int top = queue->top;

    if (top < 0)
        return NULL;
    thread = queue->lists[top].first;
    queue->lists[top].first = thread->next_ready;
    run_queue_unmark(queue, (unsigned)top);
    return thread;
}

/* Takes out the one behind PREVIOUS, or the first if that is NULL. */
static struct thread *run_queue_unlink_next(struct run_queue *queue, unsigned priority,
                                            struct thread *previous)
{
    struct thread *thread = previous ? previous->next_ready : queue->lists[priority].first;

    if (previous)
        previous->next_ready = thread->next_ready;
    else
        queue->lists[priority].first = thread->next_ready;
    if (queue->lists[priority].last == thread)
        queue->lists[priority].last = previous;
    run_queue_unmark(queue, priority);
    return thread;
}

bool run_queue_remove(struct run_queue *queue, struct thread *thread)
{
    struct thread *previous = NULL;

    for (struct thread *t = queue->lists[thread->priority].first; t; t = t->next_ready) {
        if (t == thread) {
            run_queue_unlink_next(queue, thread->priority, previous);
            return true;
        }
        previous = t;
    }
    return false;
}

struct thread *run_queue_steal(struct run_queue *queue, unsigned cpu)
{
    for (int priority = queue->top; priority >= 0; priority--) {
        struct thread *previous = NULL;

        for (struct thread *t = queue->lists[priority].first; t; t = t->next_ready) {
            if (!t->on_cpu && t->affinity >> cpu & 1)
                return run_queue_unlink_next(queue, (unsigned)priority, previous);
            previous = t;
        }
    }
    return NULL;
}
