/* SPDX-License-Identifier: BSD-2-Clause */
/* Between placement.c, which decides where a thread waits, and scheduler.c, which decides who runs.
 * Interrupts off. */
#pragma once

#include "kernel/cpu/cpu.h"
#include "kernel/thread/run_queue.h"
#include "kernel/thread/thread.h"

/* Where there can be only one CPU, interrupts off is enough (the checked build checks all the
 * same). */
#define QUEUES_SHARED (CPU_MAX > 1)
#ifdef QUIPU_CHECKED
#define QUEUES_LOCKED true
#else
#define QUEUES_LOCKED QUEUES_SHARED
#endif

static inline void queue_lock(struct run_queue *queue)
{
    if (QUEUES_LOCKED)
        spinlock_lock(&queue->lock);
}

static inline void queue_unlock(struct run_queue *queue)
{
    if (QUEUES_LOCKED)
        spinlock_unlock(&queue->lock);
}

static inline bool placement_allows(const struct thread *thread, unsigned cpu)
{
    return thread->affinity >> cpu & 1;
}

/* CPU, the caller's own, is idle, until placement_end_idle: wakers may choose it. It looks into its
 * queue, and placement_steal into others', after this. */
void placement_begin_idle(const struct cpu *cpu);
void placement_end_idle(const struct cpu *cpu);
/* A thread of another CPU's queue comes to CPU, which is idle; false if there is none. */
bool placement_steal(struct cpu *cpu);
/* Queues THREAD, which runs here and may not, on a CPU where it may. */
void placement_send_away(struct thread *thread);
/* Moves THREAD, which is not the caller, out of a queue where it may not be; false: look again. */
bool placement_settle(struct thread *thread);
