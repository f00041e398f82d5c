/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Watchdog timers of devices: a driver sets one when it asks its device for something, and clears
 * it when the answer comes. If time is up first, the watchdog is counted (DEVICE / "watchdog", and
 * in the kstat of the device's interrupt line), and its function is called, to reset the device.
 *
 * One with a progress counter watches over a device that works by itself: when time is up and the
 * counter has moved since the watchdog was set, it is set again and nothing is counted.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/evcnt.h>
#include <sys/queue.h>
#include "kernel/lock/spinlock.h"
#include "kernel/time/timer.h"

struct interrupt_handler;

struct watchdog {
    struct timer timer; /* first */
    void (*function)(void *);
    void *argument;
    const struct evcnt *progress;            /* or NULL */
    const struct interrupt_handler *handler; /* the device's; its line's kstat tells of it */
    bool repeat;                             /* after it has bitten it is set again */
    struct spinlock lock;                    /* of the next three */
    bool set;
    uint64_t period; /* ns */
    uint64_t seen;   /* the progress counter when it was set */
    struct evcnt count;
    LIST_ENTRY(watchdog) all;
};

/* Prepares W, zeroed or filled in as far as progress, handler and repeat. FUNCTION(ARGUMENT), or
 * NULL, is called in the clock interrupt at IPL_SCHED; it may set W again. DEVICE must persist.
 * Thread context, once. */
void watchdog_establish(struct watchdog *w, const char *device, void (*function)(void *),
                        void *argument);
/* Takes it away. Nobody sets it any more. Thread context, no lock held that FUNCTION takes. */
void watchdog_disestablish(struct watchdog *w);

/* Time is up in NS from now, unless it is set again or cleared before. Any context. */
void watchdog_set(struct watchdog *w, uint64_t ns);
/* True if time was not up; then FUNCTION will not be called. Any context. */
bool watchdog_clear(struct watchdog *w);

/* How often those of the device with HANDLER have bitten. Thread context. */
uint64_t watchdog_bites(const struct interrupt_handler *handler);
/* Calls EACH(w, argument) for every watchdog, the latest first, with a spinlock held. */
void watchdog_each(void (*each)(const struct watchdog *w, void *argument), void *argument);
