/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the dispatcher counts, of lines below IPL_SCHED and of those at it:
 * handlers that take so long that their time is converted in another way are in the histogram once,
 * where their own time belongs; claims, spurious ones and the CPU's sum are exact.
 */
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/thread/cpu_counts.h"
#include "kernel/interrupt/interrupt.h"
#include "tests/kernel/selftest.h"
#include "kernel/interrupt/softint.h"
#include "tests/kernel/fake_line.h"

#define LONG (5ul << 20) /* cycles; clock_is_short no more */

static struct fake_device device = {.letter = 'L', .claims = 1};
static unsigned long cycles;

static void take_long(void)
{
    uint64_t begin = cycles_now();

    while (cycles_between(begin, cycles_now()) < cycles)
        ;
}

/* One delivery of at least COUNT cycles, and of no more than its caller saw go by. */
static int interrupt_long_deliver(struct interrupt_line *line, unsigned long count)
{
    struct histogram before, after;
    uint64_t begin, least, most, more = 0;

    cycles = count;
    histogram_collect(&before, &line->cells->service);
    begin = cycles_now();
    fake_interrupt(line);
    most = clock_cycles_to_ns(cycles_between(begin, cycles_now()));
    least = clock_cycles_to_ns(count);
    histogram_collect(&after, &line->cells->service);
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        if (i < histogram_bucket_of(least) || i > histogram_bucket_of(most))
            SELFTEST_EQUAL(after.bucket[i], before.bucket[i]);
        more += after.bucket[i] - before.bucket[i];
    }
    SELFTEST_EQUAL(more, 1);
    return 0;
}

static int interrupt_long_on_level(int ipl)
{
    struct interrupt_line *line = fake_line(0);
    int result;

    device.action = take_long;
    SELFTEST_EQUAL(fake_establish(line, ipl, &device, "test long"), 0);
    result = interrupt_long_deliver(line, LONG);
    if (result == 0)
        result = interrupt_long_deliver(line, LONG / 500);
    fake_remove(line, &device);
    return result;
}

SELFTEST(interrupt_long, "interrupt-long", "an interrupt that takes long is counted by its time")
{
    int result = interrupt_long_on_level(IPL_VM);

    return result != 0 ? result : interrupt_long_on_level(IPL_SCHED);
}

/* Interrupts are off, so that nothing else comes to this CPU. */
static int claims(struct interrupt_line *line)
{
    unsigned cpu = cpu_current()->id;
    uint64_t all = cpu_interrupts(cpu), count = evcnt_value(&line->count);
    uint64_t spurious = evcnt_value(&line->spurious);

    device.action = NULL;
    for (unsigned i = 0; i < 7; i++) {
        device.claims = i < 4;
        fake_interrupt(line);
    }
    device.claims = 1;
    SELFTEST_EQUAL(evcnt_value(&line->count) - count, 7);
    SELFTEST_EQUAL(evcnt_value(&device.handler.count), 4);
    SELFTEST_EQUAL(evcnt_value(&line->spurious) - spurious, 3);
    SELFTEST_EQUAL(cpu_interrupts(cpu) - all, 7);
    return 0;
}

static struct softint soft; /* cannot be taken off again */

static void interrupt_long_nothing(void *unused)
{
    (void)unused;
}

/* A soft interrupt is counted on its line, and is none of the CPU's. */
static int soft_one(void)
{
    unsigned cpu = cpu_current()->id;
    uint64_t all = cpu_interrupts(cpu);

    softint_schedule(&soft);
    SELFTEST_EQUAL(cpu_interrupts(cpu) - all, 0);
    return 0;
}

SELFTEST(interrupt_claims, "interrupt-claims",
         "claims and spurious ones are counted, and the CPU counts each delivery")
{
    struct interrupt_line *line = fake_line(1);
    uintptr_t state;
    int result;

    if (!soft.function)
        softint_establish(&soft, IPL_SOFTCLOCK, interrupt_long_nothing, NULL, "selftest");
    SELFTEST_EQUAL(fake_establish(line, IPL_SCHED, &device, "test claims"), 0);
    state = interrupts_save();
    result = claims(line);
    if (result == 0)
        result = soft_one();
    interrupts_restore(state);
    fake_remove(line, &device);
    return result;
}
