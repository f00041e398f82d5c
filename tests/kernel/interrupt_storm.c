/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of the guard against lines that nobody claims, on a level-triggered line of the fake chip.
 */
#include <arch/interrupt_flag.h>
#include "kernel/console/log_ring.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/thread/thread.h"
#include "kernel/time/clock.h"
#include "lib/string.h"
#include "tests/kernel/fake_line.h"
#include "tests/kernel/selftest.h"

#define LEVEL  3
#define SECOND 1000000000ull

static struct fake_device device = {.letter = 'S'};

/* Where the log ends. */
static size_t log_end(void)
{
    size_t offset = log_tail(1);
    char text[256];

    while (log_read(&offset, text, sizeof text) > 0)
        continue;
    return offset;
}

static uint64_t storms(void)
{
    return evcnt_value(&fake_line(LEVEL)->storm.count);
}

/* So many that are not claimed; with interrupts off, so that a retry does not come in between. */
static void unclaimed(unsigned times)
{
    device.claims = 0;
    while (times-- > 0)
        fake_interrupt(fake_line(LEVEL));
}

/* The trace of one more. */
static const char *storm_trace_of(int claims)
{
    device.claims = claims;
    fake_trace_clear();
    fake_interrupt(fake_line(LEVEL));
    return fake_trace();
}

/* Whether the line is unmasked within some seconds, which the trace tells. */
static bool is_tried_again(void)
{
    uint64_t end = clock_now() + 60 * SECOND;

    while (interrupt_storms(fake_line(LEVEL)) && clock_now() < end)
        thread_sleep(SECOND / 50);
    return !interrupt_storms(fake_line(LEVEL));
}

static int row_by_row(void)
{
    uint64_t begin, before = storms(), spurious = evcnt_value(&fake_line(LEVEL)->spurious);

    unclaimed(INTERRUPT_STORM - 1);
    SELFTEST_CHECK(strcmp(storm_trace_of(1), "maSu") == 0); /* the row ends */
    unclaimed(INTERRUPT_STORM - 2);
    SELFTEST_CHECK(strcmp(storm_trace_of(0), "maSu") == 0);
    SELFTEST_EQUAL(storms() - before, 0);
    SELFTEST_CHECK(!interrupt_storms(fake_line(LEVEL)));
    begin = clock_now();
    SELFTEST_CHECK(strcmp(storm_trace_of(0), "maSm") == 0);
    SELFTEST_EQUAL(storms() - before, 1);
    SELFTEST_CHECK(interrupt_storms(fake_line(LEVEL)));
    SELFTEST_EQUAL(evcnt_value(&fake_line(LEVEL)->spurious) - spurious, 2 * INTERRUPT_STORM - 1);
    fake_trace_clear();
    SELFTEST_CHECK(is_tried_again());
    SELFTEST_CHECK(clock_now() - begin >= SECOND);
    SELFTEST_CHECK(strcmp(fake_trace(), "u") == 0);
    return 0;
}

static int again(void)
{
    uint64_t before = storms();

    unclaimed(INTERRUPT_STORM);
    SELFTEST_EQUAL(storms() - before, 1);
    unclaimed(5); /* under way already: counted, and not a storm of their own */
    SELFTEST_EQUAL(storms() - before, 1);
    SELFTEST_CHECK(interrupt_storms(fake_line(LEVEL)));
    return 0;
}

/* How often the log has TEXT from FROM on. */
static unsigned log_has(size_t from, const char *text)
{
    static char lines[4096];
    size_t length = log_read(&from, lines, sizeof lines - 1);
    unsigned times = 0;

    lines[length] = '\0';
    for (const char *p = lines; *p; p++)
        times += strncmp(p, text, strlen(text)) == 0;
    return times;
}

/* What another test has left is over. */
static bool is_quiet(void)
{
    uint64_t end = clock_now() + 60 * SECOND;

    while (fake_line(LEVEL)->storm.told && clock_now() < end)
        thread_sleep(SECOND / 50);
    return !fake_line(LEVEL)->storm.told;
}

/* It is told at the first of several storms, and when a second has passed without one. */
static int told(size_t from)
{
    uint64_t end = clock_now() + 60 * SECOND;

    SELFTEST_CHECK(is_tried_again());
    SELFTEST_EQUAL(log_has(from, "selftest line 3: 1000 interrupts in a row"), 1);
    while (log_has(from, "selftest line 3: quiet again") == 0 && clock_now() < end)
        thread_sleep(SECOND / 50);
    SELFTEST_EQUAL(log_has(from, "selftest line 3: quiet again"), 1);
    unclaimed(INTERRUPT_STORM);
    SELFTEST_EQUAL(log_has(from, "selftest line 3: 1000 interrupts in a row"), 2);
    return 0;
}

/* A new device may be the one that claims: the line is open at once. */
static int opened(struct fake_device *other)
{
    SELFTEST_CHECK(interrupt_storms(fake_line(LEVEL)));
    SELFTEST_EQUAL(fake_establish(fake_line(LEVEL), IPL_VM, other, "test storm 2"), 0);
    SELFTEST_CHECK(!interrupt_storms(fake_line(LEVEL)));
    SELFTEST_CHECK(strcmp(storm_trace_of(0), "maSOu") == 0);
    return 0;
}

static int storm_at(int ipl)
{
    static struct fake_device other = {.letter = 'O', .claims = 1};
    size_t from;
    int result;

    SELFTEST_CHECK(is_quiet());
    from = log_end();
    SELFTEST_EQUAL(fake_establish(fake_line(LEVEL), ipl, &device, "test storm"), 0);
    result = row_by_row();
    if (result == 0)
        result = again();
    if (result == 0)
        result = told(from);
    if (result == 0) {
        result = opened(&other);
        fake_remove(fake_line(LEVEL), &other);
    }
    fake_remove(fake_line(LEVEL), &device);
    return result;
}

SELFTEST(interrupt_storm, "interrupt-storm",
         "a line that comes a thousand times for nobody is masked and tried again each second")
{
    return storm_at(IPL_VM);
}

static struct fake_device urgent = {.letter = 'S'};

/* Those of IPL_SCHED are not masked while they are served. */
SELFTEST(interrupt_storm_sched, "interrupt-storm-sched",
         "the same at the clock's level, in a storm only")
{
    struct interrupt_line *line = fake_line(LEVEL);
    uint64_t before = storms();

    SELFTEST_EQUAL(fake_establish(line, IPL_SCHED, &urgent, "test storm"), 0);
    for (unsigned i = 1; i < INTERRUPT_STORM; i++)
        fake_interrupt(line);
    fake_trace_clear();
    fake_interrupt(line);
    fake_remove(line, &urgent);
    SELFTEST_CHECK(strcmp(fake_trace(), "aSmm") == 0); /* the second: the handler has gone */
    SELFTEST_EQUAL(storms() - before, 1);
    fake_trace_clear();
    SELFTEST_CHECK(is_tried_again());
    SELFTEST_CHECK(fake_trace()[0] == '\0'); /* it has no handler: stays masked */
    return 0;
}

/* What is an edge cannot storm. */
SELFTEST(interrupt_storm_edge, "interrupt-storm-edge", "an edge that nobody claims is never masked")
{
    struct interrupt_line *line = fake_line(1);

    SELFTEST_EQUAL(fake_establish(line, IPL_VM, &urgent, "test storm"), 0);
    for (unsigned i = 0; i < 2 * INTERRUPT_STORM; i++)
        fake_interrupt(line);
    fake_trace_clear();
    fake_interrupt(line);
    SELFTEST_CHECK(!interrupt_storms(line));
    fake_remove(line, &urgent);
    SELFTEST_CHECK(strcmp(fake_trace(), "aSm") == 0);
    return 0;
}
