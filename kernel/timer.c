/* SPDX-License-Identifier: BSD-2-Clause */
/* One-shot timers, in one list sorted by deadline: few are set at a time, and the first is what
 * matters. */
#include "kernel/timer.h"
#include <arch/interrupt_flag.h>
#include "kernel/clock.h"

static TAILQ_HEAD(, timer) timers = TAILQ_HEAD_INITIALIZER(timers);

void timer_set(struct timer *t, uint64_t deadline, void (*function)(struct timer *))
{
    uintptr_t state = interrupts_save();
    struct timer *after;

    if (t->pending)
        TAILQ_REMOVE(&timers, t, link);
    t->deadline = deadline;
    t->function = function;
    t->pending = true;
    TAILQ_FOREACH (after, &timers, link)
        if (after->deadline > deadline)
            break;
    if (after)
        TAILQ_INSERT_BEFORE(after, t, link);
    else
        TAILQ_INSERT_TAIL(&timers, t, link);
    if (TAILQ_FIRST(&timers) == t)
        clock_deadline_changed();
    interrupts_restore(state);
}

bool timer_cancel(struct timer *t)
{
    uintptr_t state = interrupts_save();
    bool was = t->pending;

    if (was) {
        TAILQ_REMOVE(&timers, t, link);
        t->pending = false;
    }
    interrupts_restore(state);
    return was;
}

uint64_t timer_earliest(void)
{
    return TAILQ_EMPTY(&timers) ? UINT64_MAX : TAILQ_FIRST(&timers)->deadline;
}

uint64_t timer_run(uint64_t now)
{
    struct timer *t;

    while ((t = TAILQ_FIRST(&timers)) && t->deadline <= now) {
        TAILQ_REMOVE(&timers, t, link);
        t->pending = false;
        t->function(t);
    }
    return timer_earliest();
}
