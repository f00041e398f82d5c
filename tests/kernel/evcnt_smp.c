/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of counters that several CPUs raise, read, attach and detach. With one CPU they say less,
 * and still pass.
 */
#include <sys/evcnt.h>
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cross_call.h"
#include "kernel/memory/kmem.h"
#include "kernel/base/law.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/law_check.h"
#include "kernel/thread/thread.h"
#include "lib/string.h"
#include "stats/evcnt/evcnt_export.h"
#include "stats/evcnt/histogram.h"
#include "tests/kernel/until.h"

#define TIMES 7u

static struct evcnt in_image = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "selftest", "in image");
static struct evcnt share[CPU_MAX];

static void raise_everywhere(void *ev)
{
    for (unsigned i = 0; i < TIMES; i++)
        evcnt_incr((struct evcnt *)ev);
}

static void evcnt_smp_raise_static(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < TIMES; i++)
        evcnt_incr(&in_image);
}

/* A counter outside the image: NULL if there is no memory. */
static struct evcnt *make_counter(void)
{
    return kmem_zalloc(sizeof(struct evcnt));
}

SELFTEST(evcnt_stray, "evcnt-stray",
         "a counter that is not attached counts exactly on every CPU, wherever it lies")
{
    struct evcnt on_stack, *ev = make_counter();
    const struct evcnt *strays = evcnt_lookup("evcnt", "stray counts"); /* where CPUs may stray */
    uint64_t allocated, image = evcnt_value(&in_image), strayed = strays ? evcnt_value(strays) : 0;

    SELFTEST_CHECK(ev != NULL);
    memset(&on_stack, 0, sizeof on_stack);
    cross_call_all(raise_everywhere, ev);
    cross_call_all(raise_everywhere, &on_stack);
    cross_call_all(raise_everywhere, &in_image);
    cross_call_all(evcnt_smp_raise_static, NULL);
    allocated = evcnt_value(ev);
    kmem_free(ev);
    SELFTEST_EQUAL(allocated, TIMES * cpu_count());
    SELFTEST_EQUAL(evcnt_value(&on_stack), TIMES * cpu_count());
    SELFTEST_EQUAL(evcnt_value(&in_image) - image, 2 * TIMES * cpu_count());
    if (strays)
        SELFTEST_EQUAL(evcnt_value(strays) - strayed, 2 * TIMES * (cpu_count() - 1));
    return 0;
}

static void attach_shares(struct evcnt *whole)
{
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        evcnt_attach_share(&share[cpu], whole, cpu, "selftest", "share");
}

static void detach_shares(void)
{
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        evcnt_detach(&share[cpu]);
}

static int check_shares(struct evcnt *whole)
{
    uint64_t value, parts = 0;

    attach_shares(whole);
    cross_call_all(raise_everywhere, whole);
    cross_call_one(cpu_count() - 1, raise_everywhere, whole);
    value = evcnt_value(whole);
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        parts += evcnt_value(&share[cpu]);
    detach_shares();
    SELFTEST_EQUAL(value, TIMES * (cpu_count() + 1));
    SELFTEST_EQUAL(parts, value);
    SELFTEST_EQUAL(evcnt_value(&share[cpu_count() - 1]), 2 * TIMES);
    return 0;
}

/* What it counted before it was attached this time is CPU 0's. */
static int check_kept(struct evcnt *ev)
{
    uint64_t first, parts = 0;

    evcnt_attach_dynamic(ev, EVCNT_TYPE_MISC, NULL, "selftest", "whole");
    cross_call_one(cpu_count() - 1, raise_everywhere, ev);
    evcnt_detach(ev);
    cross_call_one(0, raise_everywhere, ev);
    evcnt_attach_dynamic_nozero(ev, EVCNT_TYPE_MISC, NULL, "selftest", "whole");
    attach_shares(ev);
    first = evcnt_value(&share[0]);
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        parts += evcnt_value(&share[cpu]);
    detach_shares();
    evcnt_detach(ev);
    SELFTEST_EQUAL(parts, 2 * TIMES);
    SELFTEST_EQUAL(first, 2 * TIMES);
    return 0;
}

/* Shares of two wholes that were attached in turns. */
static int check_mixed(struct evcnt *ev)
{
    static struct evcnt other[CPU_MAX];
    struct law_check check = {.only = law_find("share")};

    evcnt_attach_dynamic(ev, EVCNT_TYPE_MISC, NULL, "selftest", "whole");
    evcnt_attach_dynamic(&in_image, EVCNT_TYPE_MISC, NULL, "selftest", "in image");
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        evcnt_attach_share(&share[cpu], ev, cpu, "selftest", "share");
        evcnt_attach_share(&other[cpu], &in_image, cpu, "selftest", "share");
    }
    cross_call_all(raise_everywhere, ev);
    cross_call_one(0, raise_everywhere, &in_image);
    SELFTEST_EQUAL(law_check(&check), 0);
    detach_shares();
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        evcnt_detach(&other[cpu]);
    evcnt_detach(&in_image);
    evcnt_detach(ev);
    SELFTEST_EQUAL(check.violations, 0);
    return 0;
}

SELFTEST(evcnt_share, "evcnt-share", "what the CPUs counted sums to the whole")
{
    struct evcnt *ev = make_counter();
    int result;

    SELFTEST_CHECK(ev != NULL);
    result = check_kept(ev);
    if (result == 0)
        result = check_mixed(ev);
    if (result != 0)
        return result;
    evcnt_attach_dynamic(ev, EVCNT_TYPE_MISC, NULL, "selftest", "whole");
    result = check_shares(ev);
    evcnt_detach(ev);
    kmem_free(ev);
    if (result == 0) {
        evcnt_attach_dynamic(&in_image, EVCNT_TYPE_MISC, NULL, "selftest", "in image");
        result = check_shares(&in_image);
        evcnt_detach(&in_image);
    }
    return result;
}

SELFTEST(evcnt_slots, "evcnt-slots",
         "hundreds of counters in turn start from zero and keep what they counted")
{
    struct evcnt *ev = make_counter();
    unsigned wrong = 0;

    SELFTEST_CHECK(ev != NULL);
    for (unsigned i = 0; i < 1600 / cpu_count(); i++) { /* detaching interrupts each of them */
        evcnt_attach_dynamic(ev, EVCNT_TYPE_MISC, NULL, "selftest", "slot");
        wrong += evcnt_value(ev) != 0;
        evcnt_incr(ev);
        evcnt_detach(ev);
        evcnt_incr(ev);
        evcnt_attach_dynamic_nozero(ev, EVCNT_TYPE_MISC, NULL, "selftest", "slot");
        wrong += evcnt_value(ev) != 2;
        evcnt_detach(ev);
    }
    cross_call_all(raise_everywhere, ev);
    evcnt_attach_dynamic_nozero(ev, EVCNT_TYPE_MISC, NULL, "selftest", "slot");
    cross_call_all(raise_everywhere, ev);
    evcnt_detach(ev);
    wrong += evcnt_value(ev) != 2 + 2 * TIMES * cpu_count();
    kmem_free(ev);
    SELFTEST_EQUAL(wrong, 0);
    return 0;
}

/* What the threads of the storm share. */
static struct {
    struct evcnt *ev;
    volatile bool stop;
    volatile unsigned reads, reports, back, bad;
} storm;

static void evcnt_smp_read_on(void *unused)
{
    uint64_t before = 0;

    (void)unused;
    while (!storm.stop) {
        uint64_t now = evcnt_value(storm.ev);

        if (now < before)
            storm.back++;
        before = now;
        storm.reads++;
    }
}

static void evcnt_smp_list_on(void *unused)
{
    (void)unused;
    while (!storm.stop) {
        void *buffer;
        size_t size, capacity;

        if (evcnt_export_alloc(EVCNT_TYPE_ANY, KERN_EVCNT_COUNT_ANY, &buffer, &size, &capacity) !=
            0) {
            storm.bad++;
            continue;
        }
        evcnt_export_free(buffer, capacity);
        storm.reports++;
    }
}

/* Attaches, raises and detaches until both others have got somewhere; how often it was raised. */
static uint64_t attach_on(void)
{
    uint64_t end = until_deadline(), count = 0;

    while ((storm.reads < 2000 || storm.reports < 20) && clock_now() < end) {
        for (unsigned i = 0; i < 50; i++, count += 2) {
            evcnt_incr(storm.ev);
            evcnt_attach_dynamic_nozero(storm.ev, EVCNT_TYPE_MISC, NULL, "selftest", "storm");
            evcnt_incr(storm.ev);
            evcnt_detach(storm.ev);
        }
    }
    return count;
}

SELFTEST(evcnt_come_and_go, "evcnt-come-and-go",
         "readers of a counter that is attached and detached all the time never see it go back")
{
    struct thread *reader, *lister;
    uint64_t raised, value;

    storm.ev = make_counter();
    SELFTEST_CHECK(storm.ev != NULL);
    storm.stop = false;
    storm.reads = storm.reports = storm.back = storm.bad = 0;
    SELFTEST_EQUAL(
        thread_create("reader", THREAD_PRIORITY_NORMAL, evcnt_smp_read_on, NULL, &reader), 0);
    SELFTEST_EQUAL(
        thread_create("lister", THREAD_PRIORITY_NORMAL, evcnt_smp_list_on, NULL, &lister), 0);
    raised = attach_on();
    storm.stop = true;
    thread_join(reader);
    thread_join(lister);
    value = evcnt_value(storm.ev);
    kmem_free(storm.ev);
    SELFTEST_EQUAL(storm.back, 0);
    SELFTEST_EQUAL(storm.bad, 0);
    SELFTEST_EQUAL(value, raised);
    SELFTEST_CHECK(storm.reads >= 2000 && storm.reports >= 20);
    return 0;
}

static struct histogram shared;

static void add_everywhere(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < TIMES; i++)
        histogram_add_shared(&shared, 100);
}

SELFTEST(histogram_shared, "histogram-shared", "all CPUs raise one histogram")
{
    static struct histogram before, after;

    histogram_collect(&before, &shared);
    cross_call_all(add_everywhere, NULL);
    histogram_collect(&after, &shared);
    SELFTEST_EQUAL(histogram_total(&after) - histogram_total(&before), TIMES * cpu_count());
    SELFTEST_EQUAL(after.bucket[7] - before.bucket[7], TIMES * cpu_count());
    return 0;
}

SELFTEST_ONLY_NAMED(evcnt_listing, "evcnt-listing", "what listing costs for each counter")
{
    enum { MANY = 100000 };
    uint64_t start, spent, records;
    size_t size = 0;
    struct evcnt **block;
    unsigned made = 0;
    int result;

    block = kmem_zalloc(MANY / 1000 * sizeof *block);
    if (!block)
        return selftest_skip("too little memory");
    for (; made < MANY / 1000; made++) {
        block[made] = kmem_zalloc(1000 * sizeof **block);
        if (!block[made])
            break;
        for (unsigned i = 0; i < 1000; i++)
            evcnt_attach_dynamic(&block[made][i], EVCNT_TYPE_MISC, NULL, "selftest", "many");
    }
    start = clock_now();
    result = evcnt_export(EVCNT_TYPE_ANY, KERN_EVCNT_COUNT_ANY, NULL, &size);
    spent = clock_now() - start;
    records = made * 1000ul;
    for (unsigned n = 0; n < made; n++) {
        for (unsigned i = 0; i < 1000; i++)
            evcnt_detach(&block[n][i]);
        kmem_free(block[n]);
    }
    kmem_free(block);
    SELFTEST_EQUAL(result, 0);
    if (!records)
        return selftest_skip("too little memory");
    return selftest_note("%lu counters, %lu ns for each", (unsigned long)records,
                         (unsigned long)(spent / records));
}
