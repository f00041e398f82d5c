/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads that are ready to run on a CPU, by priority: a list for each, and the most urgent
 * one's number. With the lock held and interrupts off for every call; run_queue_top may be called
 * and count be looked at without.
 */
#pragma once

#include "kernel/lock/spinlock.h"
#include "kernel/thread/thread.h"

struct run_list {
    struct thread *first, *last;
};

struct run_queue {
    int32_t top;     /* the highest priority that has a thread, -1 if none */
    uint32_t in_use; /* bit P: list P is not empty */
    volatile uint32_t count;
    struct spinlock lock;
    struct run_list lists[THREAD_PRIORITIES];
};

/* What `top` was a moment ago. */
static inline int32_t run_queue_top(const struct run_queue *queue)
{
    return __atomic_load_n(&queue->top, __ATOMIC_RELAXED);
}

void run_queue_init(struct run_queue *queue);
void run_queue_add(struct run_queue *queue, struct thread *thread); /* behind its equals */
void run_queue_add_first(struct run_queue *queue,
                         struct thread *thread); /* before them: its time slice is not over */
struct thread *run_queue_take(struct run_queue *queue); /* the most urgent; NULL if none */
/* Takes THREAD out, if it is there. */
bool run_queue_remove(struct run_queue *queue, struct thread *thread);
/* Takes out the most urgent thread that may run on CPU and has left its own; NULL if there is none.
 */
struct thread *run_queue_steal(struct run_queue *queue, unsigned cpu);

/*
 * run_queue_add and run_queue_take in one, for the case that both concern the LIST of THREAD's
 * priority: THREAD goes behind its equals, of which there is at least one, and the FIRST of them
 * comes out.
 */
static inline void run_queue_rotate(struct run_list *list, struct thread *thread,
                                    struct thread *first)
{
    thread->next_ready = NULL;
    list->last->next_ready = thread;
    list->last = thread;
    list->first = first->next_ready;
}
