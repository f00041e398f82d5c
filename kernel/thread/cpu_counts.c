/* SPDX-License-Identifier: BSD-2-Clause */
/* What each CPU counts, from where it is counted. */
#include "kernel/thread/cpu_counts.h"
#include "kernel/cpu/cpu.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/thread/mutex.h"

/* Lines behind another line (an i8259 behind a CPU's pin) were counted there. */
uint64_t cpu_interrupts(unsigned cpu)
{
    uint64_t sum = 0;

    for (struct interrupt_line *line = interrupt_line_next(NULL); line;
         line = interrupt_line_next(line))
        if (!line->chip->soft && !line->count.ev_parent)
            sum += evcnt_cpu_value(&line->count, cpu);
    return sum;
}

void cpu_counts_get(unsigned cpu, struct cpu_counts *out)
{
    const volatile struct cpu *from = cpu_of(cpu);

    *out = (struct cpu_counts){.cross_calls = from->cross_calls,
                               .interrupts = cpu_interrupts(cpu),
                               .switches = from->switches,
                               .involuntary = from->involuntary,
                               .migrations = from->migrations,
                               .mutex_waits = mutex_waits(cpu)};
}
