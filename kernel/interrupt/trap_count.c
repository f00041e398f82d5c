/* SPDX-License-Identifier: BSD-2-Clause */
/* How many exceptions there were on a CPU: see trap_count.h. */
#include "kernel/interrupt/trap_count.h"
#include "kernel/cpu/cpu_share.h"
#include "lib/string.h"
#include "stats/evcnt/evcnt_export.h"
#include <sys/evcnt.h>

/* The counters are looked up by name: several may be "reserved exception", of which the first is
 * the one that counts. The shares of CPUs have other groups than the whole; parts are in it. */
uint64_t trap_count(unsigned cpu)
{
    const struct evcnt_sysctl *record = NULL;
    size_t size, capacity;
    uint64_t sum = 0;
    void *report;

    if (evcnt_export_alloc(EVCNT_TYPE_TRAP, KERN_EVCNT_COUNT_NONZERO, &report, &size, &capacity) !=
        0)
        return 0;
    while ((record = evcnt_export_next(report, size, record)) != NULL) {
        struct evcnt *counter;

        if (record->ev_parent != 0 || strcmp(evcnt_export_group(record), cpu_group()) != 0)
            continue;
        counter = evcnt_lookup(evcnt_export_group(record), evcnt_export_name(record));
        if (counter != NULL)
            sum += evcnt_cpu_value(counter, cpu);
    }
    evcnt_export_free(report, capacity);
    return sum;
}

uint64_t trap_count_memory(unsigned cpu, enum trap_memory what)
{
    const struct evcnt *counter;
    uint64_t sum = 0;

    for (unsigned n = 0; (counter = trap_memory_counter(what, n)) != NULL; n++)
        sum += evcnt_cpu_value(counter, cpu);
    return sum;
}
