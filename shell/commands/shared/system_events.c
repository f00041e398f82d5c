/* SPDX-License-Identifier: BSD-2-Clause */
/* What was counted between two looks at the event counters: see system_events.h. */
#include "shell/commands/shared/system_events.h"
#include <sys/evcnt.h>
#include "kernel/cpu/cpu.h"
#include "kernel/thread/cpu_counts.h"
#include "lib/format.h"
#include "lib/string.h"
#include "stats/evcnt/evcnt_export.h"

/* The count of the same counter in a report; both reports are in order of attachment, so the search
 * goes on from *AT. */
static uint64_t system_events_count_before(const void *report, size_t size,
                                           const struct evcnt_sysctl *record,
                                           const struct evcnt_sysctl **at)
{
    const struct evcnt_sysctl *found = *at;

    if (report == NULL)
        return 0;
    while ((found = evcnt_export_next(report, size, found)) != NULL) {
        if (found->ev_addr == record->ev_addr) {
            *at = found;
            return found->ev_count;
        }
    }
    return 0; /* it is new */
}

static bool system_events_begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Among those that are shown, which are in order of their counts. */
static void system_events_insert(struct system_events *events, const struct evcnt_sysctl *record,
                                 uint64_t count)
{
    size_t at = events->count < SYSTAT_INTERRUPTS ? events->count++ : SYSTAT_INTERRUPTS;

    for (; at > 0 && events->interrupts[at - 1].count < count; at--) {
        if (at < SYSTAT_INTERRUPTS)
            events->interrupts[at] = events->interrupts[at - 1];
    }
    if (at == SYSTAT_INTERRUPTS)
        return;
    events->interrupts[at].count = count;
    format(events->interrupts[at].name, sizeof events->interrupts[at].name, "%s %s",
           evcnt_export_group(record), evcnt_export_name(record));
}

/* "irq 4", but not "irq 4 spurious". */
static bool system_events_is_chip_line(const char *name)
{
    return system_events_begins(name, "irq ") && strchr(name + strlen("irq "), ' ') == NULL;
}

/* Lines are counters without a parent, or, behind another line, those of an interrupt chip. */
static void system_events_look_at(struct system_events *events, const struct evcnt_sysctl *record,
                                  uint64_t count)
{
    const char *name = evcnt_export_name(record);
    bool top = record->ev_parent == 0;

    if (record->ev_type == EVCNT_TYPE_TRAP && top)
        events->traps += count;
    if (record->ev_type != EVCNT_TYPE_INTR || (!top && !system_events_is_chip_line(name)))
        return;
    if (system_events_begins(name, "soft")) {
        events->soft += count;
        return;
    }
    if (top)
        events->total += count;
    if (record->ev_count > 0)
        system_events_insert(events, record, count);
}

static void system_events_take_cpus(struct system_events *events, struct systat_record *record)
{
    struct cpu_counts sum = {.switches = 0};

    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        struct cpu_counts counts;

        cpu_counts_get(cpu, &counts);
        sum.switches += counts.switches;
        sum.cross_calls += counts.cross_calls;
        sum.mutex_waits += counts.mutex_waits;
    }
    record->switches = sum.switches - events->switches;
    record->cross_calls = sum.cross_calls - events->cross_calls;
    record->mutex_waits = sum.mutex_waits - events->mutex_waits;
    events->switches = sum.switches;
    events->cross_calls = sum.cross_calls;
    events->mutex_waits = sum.mutex_waits;
}

int system_events_take(struct system_events *events, struct systat_record *record)
{
    const struct evcnt_sysctl *at = NULL, *old = NULL;
    size_t size, capacity;
    void *report;
    int error = evcnt_export_alloc(EVCNT_TYPE_ANY, KERN_EVCNT_COUNT_ANY, &report, &size, &capacity);

    if (error != 0)
        return error;
    events->count = 0;
    events->total = events->soft = events->traps = 0;
    while ((at = evcnt_export_next(report, size, at)) != NULL)
        system_events_look_at(
            events, at,
            at->ev_count - system_events_count_before(events->report, events->size, at, &old));
    system_events_free(events);
    events->report = report;
    events->size = size;
    events->capacity = capacity;
    record->interrupts = events->interrupts;
    record->interrupt_count = events->count;
    record->interrupts_total = events->total;
    record->soft_interrupts = events->soft;
    record->traps = events->traps;
    system_events_take_cpus(events, record);
    return 0;
}

void system_events_free(struct system_events *events)
{
    if (events->report != NULL)
        evcnt_export_free(events->report, events->capacity);
    events->report = NULL;
}
