/* SPDX-License-Identifier: BSD-2-Clause */
/* Watchdog timers; see watchdog.h. The counter is raised here and nowhere else. */
#include "kernel/time/watchdog.h"
#include "kernel/time/clock.h"
#include "lib/string.h"

static LIST_HEAD(, watchdog) all = LIST_HEAD_INITIALIZER(all);
static struct spinlock all_lock = SPINLOCK_INITIALIZER("watchdogs");

static void watchdog_expire(struct timer *timer);

/* Lock held. */
static void watchdog_restart(struct watchdog *w, uint64_t ns)
{
    w->set = true;
    w->period = ns;
    w->seen = w->progress ? evcnt_value(w->progress) : 0;
    timer_set(&w->timer, clock_now() + ns, watchdog_expire);
}

/* One that was cleared, or set again for later, just before it got here does not bite. */
static void watchdog_expire(struct timer *timer)
{
    struct watchdog *w = (struct watchdog *)timer;
    uintptr_t state = spinlock_acquire(&w->lock);
    bool bites = w->set && !w->timer.pending;

    if (bites && w->progress && evcnt_value(w->progress) != w->seen)
        bites = false;
    if (bites)
        evcnt_incr(&w->count);
    if (w->set && !w->timer.pending) {
        w->set = false;
        if (!bites || w->repeat)
            watchdog_restart(w, w->period);
    }
    spinlock_release(&w->lock, state);
    if (bites && w->function)
        w->function(w->argument);
}

void watchdog_establish(struct watchdog *w, const char *device, void (*function)(void *),
                        void *argument)
{
    uintptr_t state;

    w->function = function;
    w->argument = argument;
    spinlock_init(&w->lock, "watchdog");
    evcnt_attach_dynamic(&w->count, EVCNT_TYPE_MISC, NULL, device, "watchdog");
    state = spinlock_acquire(&all_lock);
    LIST_INSERT_HEAD(&all, w, all);
    spinlock_release(&all_lock, state);
}

void watchdog_disestablish(struct watchdog *w)
{
    uintptr_t state;

    watchdog_clear(w);
    timer_cancel_wait(&w->timer);
    state = spinlock_acquire(&all_lock);
    LIST_REMOVE(w, all);
    spinlock_release(&all_lock, state);
    evcnt_detach(&w->count);
}

void watchdog_set(struct watchdog *w, uint64_t ns)
{
    uintptr_t state = spinlock_acquire(&w->lock);

    watchdog_restart(w, ns);
    spinlock_release(&w->lock, state);
}

bool watchdog_clear(struct watchdog *w)
{
    uintptr_t state = spinlock_acquire(&w->lock);
    bool was = w->set;

    w->set = false;
    timer_cancel(&w->timer);
    spinlock_release(&w->lock, state);
    return was;
}

uint64_t watchdog_bites(const struct interrupt_handler *handler)
{
    uintptr_t state = spinlock_acquire(&all_lock);
    const struct watchdog *w;
    uint64_t sum = 0;

    LIST_FOREACH (w, &all, all) {
        if (w->handler == handler)
            sum += evcnt_value(&w->count);
    }
    spinlock_release(&all_lock, state);
    return sum;
}

void watchdog_each(void (*each)(const struct watchdog *w, void *argument), void *argument)
{
    uintptr_t state = spinlock_acquire(&all_lock);
    const struct watchdog *w;

    LIST_FOREACH (w, &all, all)
        each(w, argument);
    spinlock_release(&all_lock, state);
}
