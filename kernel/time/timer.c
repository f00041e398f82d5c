/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One-shot timers, for each CPU a heap by deadline, so that setting one costs the same however many
 * are set. A timer's cpu says in whose heap it is, and changes under that queue's lock only.
 */
#include "kernel/time/timer.h"
#include <arch/interrupt_flag.h>
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cross_call.h"

void timer_queue_init(struct timer_queue *queue)
{
    spinlock_init(&queue->lock, "timers");
    queue->set = (struct heap){0};
}

/* The queue that T is on, or was last, locked; interrupts off. */
static struct timer_queue *timer_queue_lock(const struct timer *t)
{
    for (;;) {
        uint32_t cpu = *(const volatile uint32_t *)&t->cpu;
        struct timer_queue *queue = &cpu_of(cpu)->timers;

        spinlock_lock(&queue->lock);
        if (*(const volatile uint32_t *)&t->cpu == cpu)
            return queue;
        spinlock_unlock(&queue->lock);
    }
}

static bool timer_take_out(struct timer_queue *queue, struct timer *t)
{
    bool was = t->pending;

    if (was)
        heap_remove(&queue->set, &t->node);
    t->pending = false;
    return was;
}

/* The one that is due first, or NULL. */
static struct timer *timer_first(const struct timer_queue *queue)
{
    struct heap_node *node = queue->set.first;

    return node ? HEAP_ENTRY(node, struct timer, node) : NULL;
}

void timer_set(struct timer *t, uint64_t deadline, void (*function)(struct timer *))
{
    uintptr_t state = interrupts_save();
    struct cpu *cpu = cpu_current();
    struct timer_queue *queue;

    while ((queue = timer_queue_lock(t)) != &cpu->timers) {
        timer_take_out(queue, t);
        t->cpu = cpu->id;
        spinlock_unlock(&queue->lock);
    }
    timer_take_out(queue, t);
    t->function = function;
    t->pending = true;
    heap_add(&queue->set, &t->node, deadline);
    if (timer_first(queue) == t)
        clock_deadline_changed(deadline);
    spinlock_unlock(&queue->lock);
    interrupts_restore(state);
}

bool timer_cancel(struct timer *t)
{
    uintptr_t state = interrupts_save();
    struct timer_queue *queue = timer_queue_lock(t);
    bool was = timer_take_out(queue, t);

    spinlock_unlock(&queue->lock);
    interrupts_restore(state);
    return was;
}

/* Whether some CPU is calling its callback: not always the one whose queue it is on, as timer_set
 * may have moved it meanwhile. */
static bool timer_runs(const struct timer *t)
{
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        if (cpu_of(cpu)->timers.running == t)
            return true;
    return false;
}

/* Under the lock of its queue nobody can begin to call the callback, and the callback cannot set
 * the timer: if it is out of the queue then, and does not run, it is over. */
bool timer_cancel_wait(struct timer *t)
{
    bool was = false, busy;

    do {
        uintptr_t state = interrupts_save();
        struct timer_queue *queue = timer_queue_lock(t);

        was |= timer_take_out(queue, t);
        busy = timer_runs(t);
        spinlock_unlock(&queue->lock);
        interrupts_restore(state);
        while (busy && timer_runs(t))
            cross_call_poll();
    } while (busy);
    return was;
}

uint64_t timer_run(uint64_t now)
{
    struct timer_queue *queue = &cpu_current()->timers;
    uint64_t earliest = UINT64_MAX;
    struct timer *t;

    spinlock_lock(&queue->lock);
    while ((t = timer_first(queue)) && timer_deadline(t) <= now) {
        timer_take_out(queue, t);
        queue->running = t;
        spinlock_unlock(&queue->lock);
        t->function(t);
        spinlock_lock(&queue->lock);
        queue->running = NULL;
    }
    if (t)
        earliest = timer_deadline(t);
    spinlock_unlock(&queue->lock);
    return earliest;
}
