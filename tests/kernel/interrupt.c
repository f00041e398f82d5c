/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of the dispatcher's counting and of what it asks of the chip, on lines of a fake chip. */
#include "kernel/interrupt/interrupt.h"
#include "tests/kernel/selftest.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "tests/kernel/fake_line.h"
#include "tests/kernel/until.h"

struct counts {
    uint64_t line, spurious, multiple, a, b, service;
};

static struct fake_device device_a = {.letter = 'A'}, device_b = {.letter = 'B'};

static struct counts read_counts(const struct interrupt_line *line)
{
    struct histogram service;

    histogram_collect(&service, &line->cells->service);
    return (struct counts){evcnt_value(&line->count),
                           evcnt_value(&line->spurious),
                           evcnt_value(&line->multiple),
                           evcnt_value(&device_a.handler.count),
                           evcnt_value(&device_b.handler.count),
                           histogram_total(&service)};
}

static void deliver(struct interrupt_line *line, unsigned times, bool a, bool b)
{
    device_a.claims = a;
    device_b.claims = b;
    while (times-- > 0)
        fake_interrupt(line);
}

static int check_shared(struct interrupt_line *line)
{
    struct counts before = read_counts(line), after;

    deliver(line, 5, true, false);
    deliver(line, 3, false, true);
    deliver(line, 2, true, true);
    deliver(line, 4, false, false);
    after = read_counts(line);
    SELFTEST_EQUAL(after.line - before.line, 14);
    SELFTEST_EQUAL(after.a - before.a, 7);
    SELFTEST_EQUAL(after.b - before.b, 5);
    SELFTEST_EQUAL(after.multiple - before.multiple, 2);
    SELFTEST_EQUAL(after.spurious - before.spurious, 4);
    SELFTEST_EQUAL(after.service - before.service, 14);
    /* The parent is the sum of its children, less what was served on another's entry. */
    SELFTEST_EQUAL(after.line - before.line,
                   after.a + after.b + after.spurious - after.multiple -
                       (before.a + before.b + before.spurious - before.multiple));
    return 0;
}

SELFTEST(interrupt_shared, "interrupt-shared",
         "two devices on a line: claims, second services and spurious ones are told apart")
{
    struct interrupt_line *line = fake_line(0);
    int result;

    SELFTEST_EQUAL(fake_establish(line, IPL_VM, &device_a, "test a"), 0);
    SELFTEST_EQUAL(fake_establish(line, IPL_VM, &device_b, "test b"), 0);
    result = check_shared(line);
    if (result == 0 && device_a.handler.count.ev_parent != &line->count)
        result = selftest_fail("the parent of a handler's counter is not the line's");
    if (result == 0 && evcnt_lookup("test b", "intr") != &device_b.handler.count)
        result = selftest_fail("the handler's counter is not to be found");
    fake_remove(line, &device_a);
    fake_trace_clear();
    deliver(line, 1, true, true);
    fake_remove(line, &device_b);
    SELFTEST_EQUAL(result, 0);
    SELFTEST_CHECK(strcmp(fake_trace(), "aBm") == 0); /* masked with the last handler */
    SELFTEST_CHECK(evcnt_lookup("test b", "intr") == NULL);
    return 0;
}

SELFTEST(interrupt_refused, "interrupt-refused",
         "a line has one level, and it is one that a handler may have")
{
    struct interrupt_line *line = fake_line(0);

    SELFTEST_EQUAL(fake_establish(line, IPL_NONE, &device_a, "test a"), -EINVAL);
    SELFTEST_EQUAL(fake_establish(line, IPL_HIGH, &device_a, "test a"), -EINVAL);
    SELFTEST_EQUAL(fake_establish(line, IPL_SOFTNET, &device_a, "test a"), 0);
    SELFTEST_EQUAL(fake_establish(line, IPL_VM, &device_b, "test b"), -EBUSY);
    fake_remove(line, &device_a);
    SELFTEST_EQUAL(fake_establish(line, IPL_VM, &device_b, "test b"), 0);
    fake_remove(line, &device_b);
    SELFTEST_CHECK(evcnt_lookup("test a", "intr") == NULL &&
                   evcnt_lookup("test b", "intr") == NULL);
    return 0;
}

/* What the chip and the handler see of one interrupt of line NUMBER at IPL. */
static const char *interrupt_trace_of(unsigned number, int ipl)
{
    struct interrupt_line *line = fake_line(number);

    device_a.claims = 1;
    if (fake_establish(line, ipl, &device_a, "test a") != 0)
        return "refused";
    fake_trace_clear();
    fake_interrupt(line);
    fake_note('.');
    fake_remove(line, &device_a);
    return fake_trace();
}

SELFTEST(interrupt_chip, "interrupt-chip",
         "the chip is asked to acknowledge, and to mask a level-triggered line while it is served")
{
    SELFTEST_CHECK(strcmp(interrupt_trace_of(0, IPL_VM), "aA.m") == 0);
    SELFTEST_CHECK(strcmp(interrupt_trace_of(0, IPL_SCHED), "aA.m") == 0);
    SELFTEST_CHECK(strcmp(interrupt_trace_of(2, IPL_VM), "maAu.m") == 0);
    SELFTEST_CHECK(strcmp(interrupt_trace_of(2, IPL_SCHED), "aA.m") ==
                   0); /* interrupts stay off: no need to mask */
    return 0;
}

/* Looks until no delivery is under way on any CPU. */
static int check_sum(struct interrupt_line *line)
{
    uint64_t end = until_deadline(), before, total, after;
    struct histogram service;

    do {
        before = evcnt_value(&line->count);
        interrupt_service_collect(&service, line);
        total = histogram_total(&service) + line->untimed;
        after = evcnt_value(&line->count);
        if ((total == 0 && line->untimed == 0) || (before == total && after == total))
            return 0; /* 0: a line that only leads to others, or was never served */
    } while (total <= after && clock_now() < end);
    return selftest_fail("%s: %lu deliveries, %lu services", line->name, (unsigned long)before,
                         (unsigned long)total);
}

SELFTEST(interrupt_sums, "interrupt-sums",
         "of every line, the histogram holds as many services as it had deliveries")
{
    struct interrupt_line *line = NULL;

    deliver(fake_line(3), 3, false, false); /* nobody there at all */
    while ((line = interrupt_line_next(line)) != NULL)
        if (check_sum(line) != 0)
            return 1;
    return 0;
}
