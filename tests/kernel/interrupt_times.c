/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For how long interrupts were served, by level and by line, against what the handler itself spent
 * and what its caller saw go by. All of it on the CPU where the test runs.
 */
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "kernel/time/clock.h"
#include "kernel/time/cpu_time.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/cpu/ipl.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "lib/string.h"
#include "tests/kernel/fake_line.h"

#define CYCLES (3ul << 20)

struct look {
    uint64_t before, after; /* the CPU's interrupt time around it */
    uint64_t level[IPL_COUNT], all, line;
};

/* Each line's time is rounded to whole ns for itself; there are fewer lines than this. */
#define ROUNDING 200

static struct fake_device device = {.letter = 'T', .claims = 1};

/* Nothing comes in between. */
static void spend(void)
{
    uintptr_t state = interrupts_save();
    uint64_t begin = cycles_now();

    while (cycles_between(begin, cycles_now()) < CYCLES)
        ;
    interrupts_restore(state);
}

static struct look look_at(const struct interrupt_line *line)
{
    struct cpu_time time;
    struct look look;

    cpu_time_get(thread_cpu(), &time);
    look.before = time.interrupt;
    interrupt_level_times(thread_cpu(), look.level);
    look.line = interrupt_line_time(line, thread_cpu());
    cpu_time_get(thread_cpu(), &time);
    look.after = time.interrupt;
    look.all = 0;
    for (int level = 0; level < IPL_COUNT; level++)
        look.all += look.level[level];
    return look;
}

/* MORE of something was spent, by a handler that spent LEAST while MOST went by. */
static int check_more(uint64_t more, uint64_t least, uint64_t most, const char *what)
{
    if (more < least || more > most)
        return selftest_fail("%s: %lu ns more, not %lu to %lu", what, (unsigned long)more,
                             (unsigned long)least, (unsigned long)most);
    return 0;
}

static int check(struct interrupt_line *line, int ipl)
{
    uint64_t least = clock_cycles_to_ns(CYCLES), most;
    struct look before, after;
    int result;

    most = clock_now();
    before = look_at(line);
    fake_interrupt(line);
    after = look_at(line);
    most = clock_now() - most;
    SELFTEST_CHECK(before.before <= before.all + ROUNDING && before.all <= before.after + ROUNDING);
    SELFTEST_CHECK(after.before <= after.all + ROUNDING && after.all <= after.after + ROUNDING);
    least -= ROUNDING;
    most += ROUNDING;
    result = check_more(after.all - before.all, least, most, "all levels");
    if (result == 0)
        result = check_more(after.level[ipl] - before.level[ipl], least, most, "its level");
    if (result == 0)
        result = check_more(after.line - before.line, least, most, "its line");
    return result;
}

/* What a thread does afterwards is no interrupt's time, and what nobody does is idle. */
static int check_thread(void)
{
    uint64_t least = clock_cycles_to_ns(CYCLES), most;
    struct cpu_time before, after;
    int result;

    memset(&before, 0xff, sizeof before);
    memset(&after, 0xff, sizeof after);
    most = clock_now();
    cpu_time_get(thread_cpu(), &before);
    spend();
    cpu_time_get(thread_cpu(), &after);
    most = clock_now() - most;
    SELFTEST_CHECK(before.user <= before.elapsed);
    result = check_more(after.system - before.system, least - ROUNDING, most + ROUNDING, "system");
    thread_sleep(3000000);
    cpu_time_get(thread_cpu(), &before);
    if (result == 0 && before.idle <= after.idle)
        result = selftest_fail("no idle time in a sleep");
    return result;
}

static int interrupt_times_on_level(unsigned number, int ipl)
{
    struct interrupt_line *line = fake_line(number);
    int result;

    device.action = spend;
    SELFTEST_EQUAL(fake_establish(line, ipl, &device, "test times"), 0);
    result = check(line, ipl);
    fake_remove(line, &device);
    return result != 0 ? result : check_thread();
}

SELFTEST_ONE_CPU(interrupt_times, "interrupt-times",
                 "levels and lines have the time that their handlers took")
{
    int result = interrupt_times_on_level(0, IPL_VM);

    if (result == 0)
        result = interrupt_times_on_level(2, IPL_SOFTCLOCK + 1);
    return result != 0 ? result : interrupt_times_on_level(1, IPL_SCHED);
}
