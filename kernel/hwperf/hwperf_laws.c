/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The law of thresholds, in system mode, of each CPU: what it has counted of events with a
 * threshold is as many whole thresholds as were told of, and what has gone of the next ones. The
 * three are kept apart: the first is the difference of readings of the register, the second is
 * raised by interrupts, and the third goes with an event from slice to slice.
 */
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/law_cpus.h"
#include "kernel/hwperf/hwperf_cpu.h"

LAW_PREPARATION(hwperf_cpu_settle);

/* An event with a threshold; -1: there is none, or nothing is counted. */
static int hwperf_law_event(void)
{
    for (unsigned i = 0; hwperf_plan.on && i < HWPERF_EVENTS; i++)
        if (hwperf_plan.control.spec[i] != 0 && hwperf_period(&hwperf_plan.control, i) != 0)
            return (int)i;
    return -1;
}

static void *hwperf_law_next(void *cpu)
{
    return hwperf_law_event() >= 0 ? law_cpus.next(cpu) : NULL;
}

static void hwperf_law_name(const void *cpu, char *buffer, size_t size)
{
    law_cpus.name(cpu, buffer, size);
}

static const struct law_subjects hwperf_law_cpus = {hwperf_law_next, hwperf_law_name};

static struct hwperf_cpu *hwperf_law_cpu(const void *cpu)
{
    return hwperf_cpu_of(((const struct cpu *)cpu)->id);
}

static uint32_t hwperf_law_period(unsigned index)
{
    return hwperf_plan.control.spec[index] != 0 ? hwperf_period(&hwperf_plan.control, index) : 0;
}

static uint64_t hwperf_law_counted(void *subject)
{
    const struct hwperf_cpu *cpu = hwperf_law_cpu(subject);
    uint64_t sum = 0;

    for (unsigned i = 0; i < HWPERF_EVENTS; i++)
        if (hwperf_law_period(i) != 0)
            sum += cpu->count[i] - cpu->began[i];
    return sum;
}

static uint64_t hwperf_law_passed(void *subject)
{
    const struct hwperf_cpu *cpu = hwperf_law_cpu(subject);
    uint64_t sum = 0;

    for (unsigned i = 0; i < HWPERF_EVENTS; i++) {
        uint64_t period = hwperf_law_period(i);

        if (period != 0)
            sum += (cpu->overflows[i] - cpu->began_passed[i]) * period +
                   (cpu->left[i] != 0 ? period - cpu->left[i] : 0);
    }
    return sum;
}

static uint64_t *hwperf_law_word(void *subject)
{
    return &hwperf_law_cpu(subject)->count[hwperf_law_event()];
}

LAW(hwperf_thresholds, .name = "hwperf-thresholds", .subjects = &hwperf_law_cpus,
    .left = "events that have a threshold", .right = "thresholds passed + the part of the next",
    .get_left = hwperf_law_counted, .get_right = hwperf_law_passed, .word = hwperf_law_word);
