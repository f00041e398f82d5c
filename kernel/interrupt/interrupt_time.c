/* SPDX-License-Identifier: BSD-2-Clause */
/* How long interrupts took, by level and by line: made from sums that the dispatcher keeps. */
#include <machine/cell.h>
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/time/cpu_time.h"
#include "kernel/interrupt/interrupt.h"

uint64_t interrupt_line_cycles(const struct interrupt_line *line, unsigned cpu)
{
    return *(const volatile uint64_t *)cell_on(&line->cells->cycles, cpu);
}

void interrupt_times_begin(void)
{
    struct interrupt_line *line = NULL;

    while ((line = interrupt_line_next(line)) != NULL)
        *cell_on(&line->cells->cycles, cpu_here.id) = 0;
}

void interrupt_level_times(unsigned cpu, uint64_t *ns)
{
    struct interrupt_line *line = NULL;
    uint64_t cycles[IPL_COUNT] = {0};

    while ((line = interrupt_line_next(line)) != NULL)
        cycles[line->ipl] += interrupt_line_cycles(line, cpu);
    for (int level = 0; level < IPL_COUNT; level++)
        ns[level] = clock_cycles_to_ns(cycles[level]);
}

uint64_t interrupt_line_time(const struct interrupt_line *line, unsigned cpu)
{
    return clock_cycles_to_ns(interrupt_line_cycles(line, cpu));
}

void interrupt_service_collect(struct histogram *out, const struct interrupt_line *line)
{
    histogram_collect(out, &line->cells->service);
    out->bucket[0] -= line->untimed;
}

/* While time stands still, everything seems to take none. */
void interrupt_time_begins(void)
{
    struct interrupt_line *line = NULL;

    while ((line = interrupt_line_next(line)) != NULL)
        line->untimed = cell_sum(&line->cells->service.bucket[0]);
}
