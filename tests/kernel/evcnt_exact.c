/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests that evcnt_incr loses nothing: a thread and a timer interrupt raise the same counters, and
 * each keeps its own account. A plain load, add and store must lose under the same storm, where the
 * emulator takes interrupts between any two instructions; if it does not, the test above it proves
 * nothing there.
 */
#include <sys/evcnt.h>
#include "kernel/memory/kmem.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/storm.h"
#include "tests/kernel/until.h"

#define STRIKES 500
#define BATCH                                                                                      \
    2000 /* increments of the thread between two looks at the clock, where QEMU likes to interrupt \
          */

static struct evcnt static_event =
    EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "selftest", "static event");
static struct evcnt *dynamic_event;
static volatile uint64_t plain, by_interrupt; /* by_interrupt: written by the interrupt only */
static struct storm storm;

static void strike_counters(void)
{
    for (unsigned i = 0; i < 3; i++) { /* an odd number of each */
        evcnt_incr(&static_event);
        evcnt_incr(dynamic_event);
        by_interrupt = by_interrupt + 1;
    }
}

static __attribute__((noinline)) void evcnt_exact_raise_batch(void)
{
    struct evcnt *ev = dynamic_event;

    for (unsigned i = 0; i < BATCH; i++) {
        evcnt_incr(&static_event);
        evcnt_incr(ev);
    }
}

/* Raises both counters until the storm has struck often enough; how often by the thread. */
static uint64_t raise_counters(void)
{
    uint64_t end = until_deadline(), count = 0;

    while (storm.strikes < STRIKES && clock_now() < end) {
        evcnt_exact_raise_batch();
        count += BATCH;
    }
    return count;
}

static int check_exact(void)
{
    uint64_t static_before = evcnt_value(&static_event),
             dynamic_before = evcnt_value(dynamic_event), mine;

    by_interrupt = 0;
    storm_begin(&storm, strike_counters);
    mine = raise_counters();
    storm_end(&storm);
    SELFTEST_CHECK(storm.strikes >= STRIKES);
    SELFTEST_EQUAL(by_interrupt, 3 * storm.strikes);
    SELFTEST_EQUAL(evcnt_value(&static_event) - static_before, mine + by_interrupt);
    SELFTEST_EQUAL(evcnt_value(dynamic_event) - dynamic_before, mine + by_interrupt);
    SELFTEST_EQUAL(static_event.ev_count, 0); /* that word belongs to those who write it directly */
    return 0;
}

SELFTEST(evcnt_exact, "evcnt-exact",
         "counters that a thread and interrupts raise, attached or not, lose nothing")
{
    int result;

    dynamic_event = kmem_alloc(sizeof *dynamic_event);
    SELFTEST_CHECK(dynamic_event != NULL);
    evcnt_attach_static(&static_event);
    evcnt_attach_dynamic(dynamic_event, EVCNT_TYPE_MISC, &static_event, "selftest",
                         "dynamic event");
    result = check_exact();
    evcnt_detach(dynamic_event);
    evcnt_detach(&static_event);
    if (result == 0)
        result = check_exact();
    kmem_free(dynamic_event);
    return result;
}

/* What a compiler without better knowledge makes of `plain++`: three instructions. */
static inline __attribute__((always_inline)) void raise_plainly(void)
{
    uint64_t value = plain;

    __asm__ volatile("" : "+r"(value));
    value++;
    __asm__ volatile("" : "+r"(value));
    plain = value;
}

static void strike_plain(void)
{
    raise_plainly();
    by_interrupt = by_interrupt + 1;
}

static __attribute__((noinline)) void evcnt_exact_raise_plain_batch(void)
{
    for (unsigned i = 0; i < BATCH; i++)
        raise_plainly();
}

SELFTEST_ONLY_NAMED(planted, "planted-increment",
                    "a plain load, add and store under the same storm loses counts")
{
    uint64_t end = until_deadline(), mine = 0, total;

    plain = by_interrupt = 0;
    storm_begin(&storm, strike_plain);
    while (storm.strikes < STRIKES && clock_now() < end) {
        evcnt_exact_raise_plain_batch();
        mine += BATCH;
    }
    storm_end(&storm);
    total = mine + by_interrupt;
    SELFTEST_CHECK(storm.strikes >= STRIKES);
    SELFTEST_CHECK(plain <= total);
    if (plain == total)
        return selftest_fail("lost 0 of %lu in %u interrupts", (unsigned long)total, storm.strikes);
    return selftest_note("lost %lu of %lu in %u interrupts", (unsigned long)(total - plain),
                         (unsigned long)total, storm.strikes);
}
