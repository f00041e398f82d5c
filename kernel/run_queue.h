/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads that are ready to run on a CPU, by priority: a list for each, and the most urgent
 * one's number. Interrupts off for every call.
 */
#pragma once

#include "kernel/thread.h"

struct run_queue {
    int32_t top;     /* the highest priority that has a thread, -1 if none */
    uint32_t in_use; /* bit P: list P is not empty */
    struct {
        struct thread *first, *last;
    } lists[THREAD_PRIORITIES];
};

void run_queue_init(struct run_queue *queue);
void run_queue_add(struct run_queue *queue, struct thread *thread); /* behind its equals */
void run_queue_add_first(struct run_queue *queue,
                         struct thread *thread);        /* before them: its turn is not over */
struct thread *run_queue_take(struct run_queue *queue); /* the most urgent; NULL if none */

/*
 * run_queue_add and run_queue_take in one, for the case that both concern THREAD's priority: THREAD
 * goes behind its equals, of which there is at least one, and the first of them comes out.
 */
static inline struct thread *run_queue_rotate(struct run_queue *queue, struct thread *thread)
{
    unsigned priority = thread->priority;
    struct thread *next = queue->lists[priority].first;

    thread->next_ready = NULL;
    queue->lists[priority].last->next_ready = thread;
    queue->lists[priority].last = thread;
    queue->lists[priority].first = next->next_ready;
    return next;
}
