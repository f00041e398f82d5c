/* SPDX-License-Identifier: BSD-2-Clause */
/* The ready threads: one queue a priority and a bit mask of the queues in use. */
#include "kernel/run_queue.h"

static TAILQ_HEAD(, thread) queues[THREAD_PRIORITIES];
static uint32_t in_use;

void run_queue_init(void)
{
    for (unsigned i = 0; i < THREAD_PRIORITIES; i++)
        TAILQ_INIT(&queues[i]);
}

void run_queue_add(struct thread *thread)
{
    TAILQ_INSERT_TAIL(&queues[thread->priority], thread, queue);
    in_use |= 1u << thread->priority;
}

void run_queue_add_first(struct thread *thread)
{
    TAILQ_INSERT_HEAD(&queues[thread->priority], thread, queue);
    in_use |= 1u << thread->priority;
}

int run_queue_top(void)
{
    return in_use ? 31 - __builtin_clz(in_use) : -1;
}

struct thread *run_queue_take(void)
{
    int top = run_queue_top();
    struct thread *thread;

    if (top < 0)
        return NULL;
    thread = TAILQ_FIRST(&queues[top]);
    TAILQ_REMOVE(&queues[top], thread, queue);
    if (TAILQ_EMPTY(&queues[top]))
        in_use &= ~(1u << top);
    return thread;
}
