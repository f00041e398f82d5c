/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of soft interrupts: once, at their level, from wherever they are scheduled. They cannot be
 * taken off again. */
#include "kernel/interrupt/softint.h"
#include "kernel/cpu/cpu_share.h"
#include <arch/interrupt_flag.h>
#include "kernel/time/clock.h"
#include "tests/kernel/selftest.h"
#include "kernel/time/timer.h"
#include "lib/string.h"
#include "tests/kernel/fake_line.h"
#include "tests/kernel/until.h"

#define SOFTINTS 6

struct probe {
    struct softint softint;
    volatile unsigned runs;
    unsigned wrong; /* ran at another level, not in an interrupt, or with interrupts off */
    int level;
    char letter;
    bool again; /* schedules itself once more */
};

static struct probe probes[SOFTINTS] = {
    {.level = IPL_SOFTCLOCK, .letter = '1'}, {.level = IPL_SOFTBIO, .letter = '2'},
    {.level = IPL_SOFTNET, .letter = '3'},   {.level = IPL_SOFTSERIAL, .letter = '4'},
    {.level = IPL_SOFTNET, .letter = '5'},   {.level = IPL_SOFTNET, .letter = '6'},
};

static void softint_run_work(void *argument)
{
    struct probe *probe = argument;

    fake_note(probe->letter);
    if (!interrupt_active() || !interrupts_enabled() || splraise(IPL_NONE) != probe->level)
        probe->wrong++;
    if (probe->again) {
        probe->again = false;
        softint_schedule(&probe->softint);
    }
    probe->runs++;
}

static void establish(void)
{
    static bool done;

    for (unsigned i = 0; i < SOFTINTS && !done; i++)
        softint_establish(&probes[i].softint, probes[i].level, softint_run_work, &probes[i],
                          "selftest");
    done = true;
    for (unsigned i = 0; i < SOFTINTS; i++)
        probes[i].runs = probes[i].wrong = 0;
    fake_trace_clear();
}

static uint64_t counted(const struct probe *probe)
{
    return evcnt_value(&probe->softint.handler.count);
}

static uint64_t line_counted(const struct probe *probe)
{
    return evcnt_value(probe->softint.handler.count.ev_parent);
}

SELFTEST(softint_thread, "softint-thread",
         "scheduled by a thread it runs, once, at its level, and is counted")
{
    establish();
    for (unsigned i = 0; i < 4; i++) {
        struct probe *probe = &probes[i];
        uint64_t before = counted(probe), line = line_counted(probe);

        softint_schedule(&probe->softint);
        SELFTEST_CHECK(until_at_least(&probe->runs, 1));
        SELFTEST_EQUAL(counted(probe) - before, 1);
        SELFTEST_EQUAL(line_counted(probe) - line, 1);
        SELFTEST_EQUAL(probe->runs, 1);
        SELFTEST_EQUAL(probe->wrong, 0);
    }
    SELFTEST_CHECK(evcnt_lookup(cpu_group(), "softnet") ==
                   probes[2].softint.handler.count.ev_parent);
    return 0;
}

SELFTEST(softint_level, "softint-level",
         "scheduled at a raised level it waits; several wait in the order of their levels")
{
    uint64_t before = counted(&probes[0]);
    int level;

    establish();
    level = splsoftserial();
    for (unsigned i = 0; i < 4; i++) {
        softint_schedule(&probes[i].softint);
        softint_schedule(&probes[i].softint); /* changes nothing */
    }
    fake_note('<');
    splx(IPL_SOFTBIO);
    fake_note('-');
    splx(level);
    fake_note('>');
    SELFTEST_CHECK(strcmp(fake_trace(), "<43-21>") == 0);
    for (unsigned i = 0; i < 4; i++)
        SELFTEST_EQUAL(probes[i].wrong, 0);
    SELFTEST_EQUAL(counted(&probes[0]) - before, 1);
    return 0;
}

static void schedule_all(void)
{
    for (unsigned i = 0; i < 4; i++)
        softint_schedule(&probes[i].softint);
    fake_note('d');
}

SELFTEST(softint_handler, "softint-handler", "scheduled by a device's handler it runs after it")
{
    static struct fake_device device = {.letter = 'D', .claims = 1, .action = schedule_all};
    struct interrupt_line *line = fake_line(0);

    establish();
    SELFTEST_EQUAL(fake_establish(line, IPL_VM, &device, "test soft"), 0);
    fake_trace_clear();
    fake_interrupt(line);
    fake_remove(line, &device);
    SELFTEST_CHECK(strcmp(fake_trace(), "aDd4321m") == 0);
    return 0;
}

static void schedule_from_timer(struct timer *timer)
{
    (void)timer;
    softint_schedule(&probes[0].softint);
}

SELFTEST(softint_timer, "softint-timer",
         "scheduled by a timer it runs when the clock interrupt is over")
{
    struct timer timer = {.pending = false};

    establish();
    timer_set(&timer, clock_now() + 100000, schedule_from_timer);
    SELFTEST_CHECK(until_at_least(&probes[0].runs, 1));
    SELFTEST_EQUAL(probes[0].wrong, 0);
    return 0;
}

SELFTEST(softint_again, "softint-again",
         "one that schedules itself runs once more, not inside itself")
{
    uint64_t before = counted(&probes[3]);

    establish();
    probes[3].again = true;
    softint_schedule(&probes[3].softint);
    SELFTEST_CHECK(until_at_least(&probes[3].runs, 2));
    SELFTEST_EQUAL(probes[3].runs, 2);
    SELFTEST_EQUAL(counted(&probes[3]) - before, 2);
    return 0;
}

SELFTEST(softint_shared, "softint-shared",
         "those of one level run in the order of scheduling, and each delivery serves one")
{
    const struct interrupt_line *softnet; /* its counter is its first member */
    uint64_t line, shared, spurious, mine = 0;
    int level;

    establish();
    softnet = (const struct interrupt_line *)probes[2].softint.handler.count.ev_parent;
    line = line_counted(&probes[2]);
    shared = evcnt_value(&softnet->multiple);
    spurious = evcnt_value(&softnet->spurious);
    for (unsigned i = 0; i < SOFTINTS; i++)
        mine += probes[i].level == IPL_SOFTNET ? counted(&probes[i]) : 0;
    level = splsoftserial();
    softint_schedule(&probes[5].softint);
    softint_schedule(&probes[2].softint);
    softint_schedule(&probes[4].softint);
    splx(level);
    SELFTEST_CHECK(strcmp(fake_trace(), "635") == 0);
    SELFTEST_EQUAL(line_counted(&probes[2]) - line, 3);
    SELFTEST_EQUAL(evcnt_value(&softnet->multiple) - shared, 0);
    SELFTEST_EQUAL(evcnt_value(&softnet->spurious) - spurious, 0);
    for (unsigned i = 0; i < SOFTINTS; i++)
        mine -= probes[i].level == IPL_SOFTNET ? counted(&probes[i]) : 0;
    SELFTEST_EQUAL(-mine, 3);
    return 0;
}
