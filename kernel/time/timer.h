/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One-shot timers. A callback runs in the clock interrupt at IPL_SCHED: it may raise counters, wake
 * threads, schedule soft interrupts and set timers; it may not sleep, allocate or print.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "kernel/lock/spinlock.h"
#include "lib/heap.h"

struct cpu;

struct timer {
    struct heap_node node; /* its key: the clock_now() time at which it is due */
    void (*function)(struct timer *);
    bool pending;
    uint32_t cpu; /* in whose queue it is, or was last */
};

/* The timers of a CPU, by deadline. */
struct timer_queue {
    struct spinlock lock;
    struct heap set;
    struct timer *volatile running; /* its callback is being called */
};

/* Runs FUNCTION(t) once, on this CPU, at DEADLINE or as soon after as the machine can. A pending
 * timer is moved. Any context. */
void timer_set(struct timer *t, uint64_t deadline, void (*function)(struct timer *));
/* Stops it; true if it had been pending (so the callback will not run). Any context. */
bool timer_cancel(struct timer *t);

/*
 * The same, and afterwards the callback does not run any more, on no CPU, even if it sets the timer
 * again: that is cancelled, too, and then it had been pending. No lock held that the callback
 * takes; not from the callback; nobody else sets the timer meanwhile.
 */
bool timer_cancel_wait(struct timer *t);

/* When it is due, or was last. */
static inline uint64_t timer_deadline(const struct timer *t)
{
    return t->node.key;
}

void timer_queue_init(struct timer_queue *queue);
/* For clock.c, interrupts off: run what is due at NOW on this CPU; the earliest deadline left,
 * UINT64_MAX if none. */
uint64_t timer_run(uint64_t now);
