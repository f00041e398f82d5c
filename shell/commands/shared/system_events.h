/* SPDX-License-Identifier: BSD-2-Clause */
/* system_events: what was counted between two looks at the event counters, for systat. */
#ifndef SHELL_SYSTEM_EVENTS_H
#define SHELL_SYSTEM_EVENTS_H

#include "stats/read/systat.h"

/* Zeroed, it has not looked yet. */
struct system_events {
    void *report; /* of stats/evcnt/evcnt_export.h */
    size_t size, capacity;
    struct systat_interrupt interrupts[SYSTAT_INTERRUPTS]; /* of the interval, most first */
    size_t count;
    uint64_t total, soft, traps;
    uint64_t switches, cross_calls, mutex_waits; /* since boot */
};

/* Looks, and fills in RECORD with what came since the look before: 0 or an errno. */
int system_events_take(struct system_events *events, struct systat_record *record);
void system_events_free(struct system_events *events);

#endif
