/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of interrupts that nobody claims: wherever they come from, each is counted once on its line
 * and once as spurious. */
#include <arch/cpu.h>
#include <arch/smp.h>
#include <arch/test/provoke.h>
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cross_call.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "lib/format.h"
#include "tests/kernel/fake_line.h"

#define TIMES    100u
#define ATTEMPTS 50 /* a real one may come in between */
#define PATIENCE 5000000000u

static struct fake_device device = {.letter = 'S'};

SELFTEST(spurious_sched, "spurious-sched",
         "at the clock's level, too, an interrupt is its handler's or spurious")
{
    struct interrupt_line *line = fake_line(1);
    uint64_t all = evcnt_value(&line->count), spurious = evcnt_value(&line->spurious), claimed;

    SELFTEST_EQUAL(fake_establish(line, IPL_SCHED, &device, "test spurious"), 0);
    for (unsigned i = 0; i < 5; i++) {
        device.claims = i % 2;
        fake_interrupt(line);
    }
    claimed = evcnt_value(&device.handler.count);
    fake_remove(line, &device);
    SELFTEST_EQUAL(evcnt_value(&line->count) - all, 5);
    SELFTEST_EQUAL(evcnt_value(&line->spurious) - spurious, 3);
    SELFTEST_EQUAL(claimed, 2);
    return 0;
}

/* The counter GROUP / LINE, and behind it SUFFIX. On several CPUs all of them have one "cpu", and
 * "cpu0" is the first one's share. */
static const struct evcnt *find(const char *group, const char *line, const char *suffix)
{
    char name[64];
    const struct evcnt *ev;

    format(name, sizeof name, "%s%s", line, suffix);
    ev = evcnt_lookup("cpu", name);
    return ev ? ev : evcnt_lookup(group, name);
}

static int attempt(const struct evcnt *line, const struct evcnt *spurious, void (*run)(void))
{
    uint64_t all = evcnt_value(line), nobodys = evcnt_value(spurious);

    for (unsigned i = 0; i < TIMES; i++)
        run();
    all = evcnt_value(line) - all;
    nobodys = evcnt_value(spurious) - nobodys;
    if (all == TIMES && nobodys == TIMES)
        return 0;
    return selftest_fail("%s: of %u, %lu were counted, %lu as spurious", line->ev_name, TIMES,
                         (unsigned long)all, (unsigned long)nobodys);
}

SELFTEST(spurious_provoked, "spurious-provoked",
         "each interrupt that nothing has asked for is counted as spurious, whatever controller")
{
    const struct interrupt_provocation *provoked = interrupt_provocations;
    unsigned checked = 0;

    for (; provoked->line; provoked++) {
        const struct evcnt *line = find(provoked->group, provoked->line, ""),
                           *spurious = find(provoked->group, provoked->line, " spurious");
        int failed = 1;

        if (!line || !spurious)
            continue; /* the board has none, or has it behind another controller */
        for (unsigned i = 0; i < ATTEMPTS && failed; i++) {
            selftest_clear();
            failed = attempt(line, spurious, provoked->run);
        }
        if (failed)
            return failed;
        checked++;
    }
    SELFTEST_CHECK(checked >= 1);
    return 0;
}

/* What is served is its handler's or nobody's. */
static bool is_served(const struct evcnt *line, const struct evcnt *handler,
                      const struct evcnt *spurious)
{
    uint64_t end = clock_now() + PATIENCE;

    while (evcnt_value(handler) + evcnt_value(spurious) != evcnt_value(line))
        if (clock_now() > end)
            return false;
    return true;
}

static bool has_come(const struct evcnt *line, uint64_t count)
{
    uint64_t end = clock_now() + PATIENCE;

    while (evcnt_value(line) < count)
        if (clock_now() > end)
            return false;
    return true;
}

/* Calls CPU 0 without anything to do there, and then with. */
static int interrupt_spurious_attempt_call(enum smp_ipi kind, const char *name,
                                           const char *device_name)
{
    const struct evcnt *line = evcnt_lookup("cpu", name),
                       *spurious = find("cpu", name, " spurious"),
                       *handler = evcnt_lookup(device_name, "intr");
    uint64_t all, nobodys, claimed;

    SELFTEST_CHECK(line && spurious && handler);
    if (!is_served(line, handler, spurious))
        return selftest_fail("%s: not all served", name);
    all = evcnt_value(line);
    nobodys = evcnt_value(spurious);
    claimed = evcnt_value(handler);
    for (unsigned i = 1; i <= 5; i++) {
        smp_send(0, kind);
        if (!has_come(line, all + i) || !is_served(line, handler, spurious))
            return selftest_fail("%s: not all came and were served", name);
    }
    SELFTEST_EQUAL(evcnt_value(line) - all, 5);
    SELFTEST_EQUAL(evcnt_value(spurious) - nobodys, 5);
    SELFTEST_EQUAL(evcnt_value(handler) - claimed, 0);
    return 0;
}

static void interrupt_spurious_nothing(void *unused)
{
    (void)unused;
}

/* Each call finds its CPU outside of any poll, so that its interrupt is what runs it. */
static int attempt_claimed(void)
{
    const struct evcnt *line = evcnt_lookup("cpu", "call"),
                       *spurious = find("cpu", "call", " spurious"),
                       *handler = evcnt_lookup("cross call", "intr");
    uint64_t nobodys = evcnt_value(spurious), claimed = evcnt_value(handler);

    for (unsigned i = 0; i < 5; i++)
        cross_call_one(0, interrupt_spurious_nothing, NULL);
    SELFTEST_CHECK(is_served(line, handler, spurious));
    SELFTEST_EQUAL(evcnt_value(handler) - claimed, 5);
    SELFTEST_EQUAL(evcnt_value(spurious) - nobodys, 0);
    return 0;
}

SELFTEST(spurious_calls, "spurious-calls",
         "a CPU that is called without anything to do claims nothing, and else claims")
{
    struct thread *self = thread_current();
    uint32_t affinity = thread_affinity(self);
    int failed = 1;

    if (cpu_count() == 1)
        return selftest_skip("there is one CPU");
    thread_set_affinity(self, 2);
    for (unsigned i = 0; i < 5 && failed; i++) {
        selftest_clear();
        failed = interrupt_spurious_attempt_call(SMP_CALL, "call", "cross call");
        if (!failed)
            failed = interrupt_spurious_attempt_call(SMP_TLB, "TLB shootdown", "TLB");
        if (!failed) /* nobody stands */
            failed = interrupt_spurious_attempt_call(SMP_STANDSTILL, "standstill", "standstill");
        if (!failed)
            failed = attempt_claimed();
    }
    thread_set_affinity(self, affinity);
    return failed;
}
