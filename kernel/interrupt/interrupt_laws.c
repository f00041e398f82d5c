/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Laws of interrupts: deliveries of lines, their handlers, and the time that they took. At a
 * standstill none is deferred (kernel/thread/standstill.h).
 */
#include <machine/cell.h>
#include "kernel/cpu/cpu.h"
#include "kernel/time/cpu_clock.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/cpu/law_cpus.h"
#include "lib/format.h"

static void *interrupt_laws_next_line(void *line)
{
    return interrupt_line_next(line);
}

static void interrupt_laws_name_line(const void *subject, char *buffer, size_t size)
{
    const struct interrupt_line *line = subject;

    format(buffer, size, "%s %s", line->count.ev_group, line->name);
}

static const struct law_subjects lines = {interrupt_laws_next_line, interrupt_laws_name_line};

static uint64_t interrupt_laws_deliveries(void *line)
{
    return evcnt_value(&((struct interrupt_line *)line)->count);
}

static uint64_t *interrupt_laws_delivery_word(void *line)
{
    return &((struct interrupt_line *)line)->count.ev_count;
}

/* Of lines behind this one (an i8259 behind a CPU's pin), which has no handlers then. */
static uint64_t interrupt_laws_behind(const struct interrupt_line *line)
{
    struct interrupt_line *other = NULL;
    uint64_t sum = 0;

    while ((other = interrupt_line_next(other)) != NULL)
        if (other->count.ev_parent == &line->count)
            sum += evcnt_value(&other->count);
    return sum;
}

static uint64_t interrupt_laws_accounted(void *subject)
{
    const struct interrupt_line *line = subject;
    const struct interrupt_handler *gone;
    uint64_t sum = line->departed + interrupt_laws_behind(line);

    for (const struct interrupt_handler *handler = line->handlers; handler; handler = handler->next)
        sum += evcnt_value(&handler->count);
    LIST_FOREACH (gone, &line->departing, leaving)
        sum += evcnt_value(&gone->count);
    return sum + evcnt_value(&line->spurious) - evcnt_value(&line->multiple);
}

LAW(line, .name = "line", .subjects = &lines, .left = "deliveries",
    .right = "handlers + spurious - multiple", .get_left = interrupt_laws_deliveries,
    .get_right = interrupt_laws_accounted, .word = interrupt_laws_delivery_word);

static uint64_t interrupt_laws_served(void *subject)
{
    const struct interrupt_line *line = subject;
    struct histogram service;

    histogram_collect(&service, &line->cells->service);
    return histogram_total(&service) + interrupt_laws_behind(line) +
           (interrupt_laws_behind(line) != 0 ? evcnt_value(&line->spurious) : 0);
}

LAW(service, .name = "line-service", .subjects = &lines, .left = "deliveries",
    .right = "service times", .get_left = interrupt_laws_deliveries,
    .get_right = interrupt_laws_served, .word = interrupt_laws_delivery_word);

/* Cycles for which CPU served lines. */
static uint64_t interrupt_laws_line_cycles(void *subject)
{
    const struct cpu *cpu = subject;
    struct interrupt_line *line = NULL;
    uint64_t sum = 0;

    while ((line = interrupt_line_next(line)) != NULL)
        sum += interrupt_line_cycles(line, cpu->id);
    return sum;
}

static uint64_t *interrupt_laws_line_cycles_word(void *subject)
{
    return cell_on(&interrupt_line_next(NULL)->cells->cycles, ((const struct cpu *)subject)->id);
}

static uint64_t interrupt_cycles(void *subject)
{
    return ((const struct cpu *)subject)->time_interrupt - CPU_TIME_BASE;
}

LAW(line_time, .name = "line-time", .subjects = &law_cpus, .left = "cycles in lines",
    .right = "cycles in interrupts", .get_left = interrupt_laws_line_cycles,
    .get_right = interrupt_cycles, .word = interrupt_laws_line_cycles_word,
    .relation = LAW_AT_MOST);
