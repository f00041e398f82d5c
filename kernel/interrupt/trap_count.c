/* SPDX-License-Identifier: BSD-2-Clause */
/* How many exceptions there were on a CPU: see trap_count.h. */
#include "kernel/interrupt/trap_count.h"
#include <sys/evcnt.h>

uint64_t trap_count(unsigned cpu)
{
    const struct evcnt *counter;
    uint64_t sum = 0;

    for (unsigned n = 0; (counter = trap_counter(n)) != NULL; n++)
        sum += evcnt_cpu_value(counter, cpu);
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
