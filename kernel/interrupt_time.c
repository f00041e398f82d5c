/* SPDX-License-Identifier: BSD-2-Clause */
/* How long interrupts took, by level and by line: made from sums that the dispatcher keeps. */
#include "kernel/clock.h"
#include "kernel/cpu.h"
#include "kernel/cpu_time.h"
#include "kernel/interrupt.h"
#include "kernel/spinlock.h"

static uint64_t kept(const struct interrupt_line *line, unsigned cpu)
{
    return clock_cycles_to_ns(*(const volatile uint64_t *)&line->here[cpu].cycles);
}

void interrupt_level_times(unsigned cpu, uint64_t *ns, uint64_t *straight)
{
    static uint64_t told[CPU_MAX]; /* the rest may seem to shrink while one is being served */
    static struct spinlock lock = SPINLOCK_INITIALIZER("interrupt times");
    struct interrupt_line *line = NULL;
    struct cpu_time time;
    uint64_t others = 0, rest;
    uintptr_t state;

    for (int level = 0; level < IPL_COUNT; level++)
        ns[level] = 0;
    cpu_time_get(cpu, &time);
    while ((line = interrupt_line_next(line)) != NULL) {
        uint64_t served = kept(line, cpu);

        ns[line->ipl] += served;
        others += served;
    }
    rest = time.interrupt > others ? time.interrupt - others : 0;
    state = spinlock_acquire(&lock);
    if (rest > told[cpu])
        told[cpu] = rest;
    rest = told[cpu];
    spinlock_release(&lock, state);
    ns[IPL_SCHED] += rest;
    if (straight != NULL)
        *straight = rest;
}

void interrupt_service_collect(struct histogram *out, const struct interrupt_line *line)
{
    histogram_collect(out, &line->service);
    out->bucket[0] -= line->untimed;
}

/* While time stands still, everything seems to take none. */
void interrupt_time_begins(void)
{
    struct interrupt_line *line = NULL;
    struct histogram service;

    while ((line = interrupt_line_next(line)) != NULL) {
        histogram_collect(&service, &line->service);
        line->untimed = service.bucket[0];
    }
}

/* Twice the time that LINE's deliveries on CPU are likely to have taken, each as if it were in the
 * middle of its bucket. */
static uint64_t weight(const struct interrupt_line *line, unsigned cpu)
{
    struct histogram service;
    uint64_t sum = 0, total;

    interrupt_service_collect(&service, line);
    total = histogram_total(&service);
    for (unsigned i = 1; i < HISTOGRAM_BUCKETS; i++) {
        if (service.bucket[i] != 0)
            sum += service.bucket[i] * (histogram_bucket_low(i) + histogram_bucket_high(i));
    }
    return total != 0 ? sum / total * evcnt_cpu_value(&line->count, cpu) : 0;
}

static bool is_straight(const struct interrupt_line *line)
{
    return line->straight_below == IPL_SCHED;
}

uint64_t interrupt_line_time(const struct interrupt_line *line, unsigned cpu, uint64_t straight)
{
    struct interrupt_line *other = NULL;
    uint64_t own, all = 0;

    if (!is_straight(line))
        return kept(line, cpu);
    while ((other = interrupt_line_next(other)) != NULL) {
        if (is_straight(other))
            all += weight(other, cpu);
    }
    own = weight(line, cpu);
    while (all >> 30 != 0) { /* so that the product below fits */
        all >>= 1;
        own >>= 1;
    }
    return kept(line, cpu) + (all != 0 ? straight / all * own + straight % all * own / all : 0);
}
