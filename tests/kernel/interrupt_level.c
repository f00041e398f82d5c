/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of priority levels: what waits, what nests, and in which order it runs, on lines of a fake
 * chip. */
#include <arch/interrupt_flag.h>
#include "kernel/interrupt/interrupt.h"
#include "tests/kernel/selftest.h"
#include "lib/string.h"
#include "tests/kernel/fake_line.h"

static struct fake_device low = {.letter = 'L', .claims = 1}, high = {.letter = 'H', .claims = 1},
                          other = {.letter = 'O', .claims = 1};

#define EDGE  0
#define EDGE2 1
#define LEVEL 2

static uint64_t interrupt_level_count_of(unsigned number)
{
    return evcnt_value(&fake_line(number)->count);
}

/* The trace of AROUND(), run at LEVEL with LOW on the edge line and HIGH on line NUMBER. */
static const char *interrupt_level_trace_of(void (*around)(void), int low_ipl, unsigned number,
                                            int high_ipl)
{
    if (fake_establish(fake_line(EDGE), low_ipl, &low, "test low") != 0 ||
        fake_establish(fake_line(number), high_ipl, &high, "test high") != 0)
        return "refused";
    fake_trace_clear();
    around();
    fake_note('.');
    fake_remove(fake_line(EDGE), &low);
    fake_remove(fake_line(number), &high);
    return fake_trace();
}

static void edge_twice(void)
{
    int level = splvm();

    fake_interrupt(fake_line(EDGE));
    fake_interrupt(fake_line(EDGE));
    fake_note('<');
    splx(level);
    fake_note('>');
}

SELFTEST(level_edge, "level-edge",
         "edges that come at a raised level are counted at once and served at splx, each of them")
{
    uint64_t before = interrupt_level_count_of(EDGE);
    struct histogram service;

    SELFTEST_CHECK(
        strcmp(interrupt_level_trace_of(edge_twice, IPL_VM, EDGE2, IPL_VM), "aa<LL>.mm") == 0);
    SELFTEST_EQUAL(interrupt_level_count_of(EDGE) - before, 2);
    SELFTEST_EQUAL(evcnt_value(&low.handler.count), 2);
    histogram_collect(&service, &fake_line(EDGE)->cells->service);
    SELFTEST_EQUAL(histogram_total(&service), interrupt_level_count_of(EDGE));
    return 0;
}

static void level_once(void)
{
    int level = splvm();

    fake_interrupt(fake_line(LEVEL));
    fake_note('<');
    splx(level);
    fake_note('>');
}

SELFTEST(level_level, "level-level",
         "a level-triggered line that has to wait is masked until it was served")
{
    uint64_t before = interrupt_level_count_of(LEVEL);

    SELFTEST_CHECK(
        strcmp(interrupt_level_trace_of(level_once, IPL_VM, LEVEL, IPL_VM), "ma<Hu>.mm") == 0);
    SELFTEST_EQUAL(interrupt_level_count_of(LEVEL) - before, 1);
    return 0;
}

static void step_down(void)
{
    int level = splhigh();

    fake_interrupt(fake_line(EDGE));
    fake_interrupt(fake_line(EDGE2));
    fake_note('<');
    splx(IPL_VM);
    fake_note('-');
    splx(IPL_SOFTNET);
    fake_note('-');
    splx(IPL_SOFTCLOCK);
    fake_note('-');
    splx(level);
    fake_note('>');
}

SELFTEST(level_steps, "level-steps",
         "splx to a level serves what is above it, the most urgent first")
{
    SELFTEST_CHECK(strcmp(interrupt_level_trace_of(step_down, IPL_SOFTBIO, EDGE2, IPL_VM),
                          "aa<-H-L->.mm") == 0);
    SELFTEST_CHECK(strcmp(interrupt_level_trace_of(step_down, IPL_SCHED, EDGE2, IPL_SOFTCLOCK),
                          "aa<L---H>.mm") == 0);
    SELFTEST_CHECK(
        strcmp(interrupt_level_trace_of(step_down, IPL_VM, EDGE2, IPL_VM), "aa<-LH-->.mm") == 0);
    return 0;
}

static void interrupt_high(void)
{
    int level = splraise(IPL_NONE);

    fake_note((char)('0' + level));
    fake_note(interrupts_enabled() ? '+' : '!');
    if (!interrupt_active())
        fake_note('?');
    fake_interrupt(fake_line(EDGE2));
    fake_note('l');
}

static void interrupt_low(void)
{
    fake_interrupt(fake_line(EDGE));
    fake_note('>');
}

SELFTEST(level_nesting, "level-nesting",
         "a more urgent line interrupts a handler; its own level and below wait for its end")
{
    const char *trace;

    low.action = interrupt_high;
    trace = interrupt_level_trace_of(interrupt_low, IPL_SOFTBIO, EDGE2, IPL_VM);
    if (strcmp(trace, "aL2+aHl>.mm") == 0)
        trace = interrupt_level_trace_of(interrupt_low, IPL_VM, EDGE2, IPL_VM);
    if (strcmp(trace, "aL5+alH>.mm") == 0)
        trace = interrupt_level_trace_of(interrupt_low, IPL_VM, EDGE2, IPL_SOFTSERIAL);
    if (strcmp(trace, "aL5+alH>.mm") == 0)
        trace = interrupt_level_trace_of(interrupt_low, IPL_SCHED, EDGE2, IPL_VM);
    low.action = NULL;
    if (strcmp(trace, "aL6!alH>.mm") != 0)
        return selftest_fail("%s", trace);
    SELFTEST_CHECK(!interrupt_active() && interrupts_enabled());
    SELFTEST_EQUAL(splraise(IPL_NONE), IPL_NONE);
    return 0;
}

static unsigned repeats;

static void interrupt_self(void)
{
    if (repeats++ < 2)
        fake_interrupt(fake_line(EDGE));
    fake_note('l');
}

SELFTEST(level_again, "level-again",
         "an edge of the line that is being served runs it once more, afterwards")
{
    const char *trace;
    uint64_t before = interrupt_level_count_of(EDGE);

    repeats = 0;
    low.action = interrupt_self;
    trace = interrupt_level_trace_of(interrupt_low, IPL_VM, EDGE2, IPL_VM);
    low.action = NULL;
    SELFTEST_CHECK(strcmp(trace, "aLalLalLl>.mm") == 0);
    SELFTEST_EQUAL(interrupt_level_count_of(EDGE) - before, 3);
    return 0;
}

static void raise_inside(void)
{
    int level = splvm();

    fake_interrupt(fake_line(EDGE2));
    fake_note('<');
    splx(level);
    fake_note('l');
}

SELFTEST(level_inside, "level-inside",
         "a handler may raise the level; splx there serves what is above the handler's own")
{
    const char *trace;

    low.action = raise_inside;
    trace = interrupt_level_trace_of(interrupt_low, IPL_SOFTBIO, EDGE2, IPL_SOFTSERIAL);
    low.action = NULL;
    SELFTEST_CHECK(strcmp(trace, "aLa<Hl>.mm") == 0);
    return 0;
}

SELFTEST(level_fifo, "level-fifo", "lines of one level are served in the order in which they came")
{
    struct interrupt_line *lines[3] = {fake_line(EDGE), fake_line(EDGE2), fake_line(LEVEL)};
    struct fake_device *devices[3] = {&low, &high, &other};
    int level;

    for (unsigned i = 0; i < 3; i++)
        SELFTEST_EQUAL(fake_establish(lines[i], IPL_VM, devices[i], "test"), 0);
    fake_trace_clear();
    level = splvm();
    fake_interrupt(lines[1]);
    fake_interrupt(lines[2]);
    fake_interrupt(lines[0]);
    splx(level);
    for (unsigned i = 0; i < 3; i++)
        fake_remove(lines[i], devices[i]);
    SELFTEST_CHECK(strcmp(fake_trace(), "amaaHOuLmmm") == 0);
    return 0;
}
