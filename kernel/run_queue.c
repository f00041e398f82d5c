/* SPDX-License-Identifier: BSD-2-Clause */
/* The ready threads of a CPU. */
#include "kernel/run_queue.h"

void run_queue_init(struct run_queue *queue)
{
    queue->top = -1;
}

static void mark(struct run_queue *queue, unsigned priority)
{
    queue->in_use |= 1u << priority;
    if ((int32_t)priority > queue->top)
        queue->top = (int32_t)priority;
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
    mark(queue, priority);
}

void run_queue_add_first(struct run_queue *queue, struct thread *thread)
{
    unsigned priority = thread->priority;

    thread->next_ready = queue->lists[priority].first;
    if (!thread->next_ready)
        queue->lists[priority].last = thread;
    queue->lists[priority].first = thread;
    mark(queue, priority);
}

struct thread *run_queue_take(struct run_queue *queue)
{
    struct thread *thread;

    if (queue->top < 0)
        return NULL;
    thread = queue->lists[queue->top].first;
    queue->lists[queue->top].first = thread->next_ready;
    if (!thread->next_ready) {
        queue->in_use &= ~(1u << queue->top);
        queue->top = queue->in_use ? 31 - __builtin_clz(queue->in_use) : -1;
    }
    return thread;
}
