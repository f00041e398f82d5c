/* SPDX-License-Identifier: BSD-2-Clause */
/* Handlers that take so long that their time is converted in another way, on both ways through the
 * dispatcher: each delivery is in the histogram once, where its own time belongs. */
#include <arch/cpu.h>
#include "kernel/clock.h"
#include "kernel/interrupt.h"
#include "kernel/selftest.h"
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
static int deliver(struct interrupt_line *line, unsigned long count)
{
    struct histogram before, after;
    uint64_t begin, least, most, more = 0;

    cycles = count;
    histogram_collect(&before, &line->service);
    begin = cycles_now();
    fake_interrupt(line);
    most = clock_cycles_to_ns(cycles_between(begin, cycles_now()));
    least = clock_cycles_to_ns(count);
    histogram_collect(&after, &line->service);
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        if (i < histogram_bucket_of(least) || i > histogram_bucket_of(most))
            SELFTEST_EQUAL(after.bucket[i], before.bucket[i]);
        more += after.bucket[i] - before.bucket[i];
    }
    SELFTEST_EQUAL(more, 1);
    return 0;
}

static int on_level(int ipl)
{
    struct interrupt_line *line = fake_line(0);
    int result;

    device.action = take_long;
    SELFTEST_EQUAL(fake_establish(line, ipl, &device, "test long"), 0);
    result = deliver(line, LONG);
    if (result == 0)
        result = deliver(line, LONG / 500);
    fake_remove(line, &device);
    return result;
}

SELFTEST(interrupt_long, "interrupt-long", "an interrupt that takes long is counted by its time")
{
    int result = on_level(IPL_VM);

    return result != 0 ? result : on_level(IPL_SCHED); /* the straight way */
}
