/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rings of samples by themselves: alike are added up, what finds no room is counted, and samples
 * take no more than their share of the time. By the numbers of sample_ring.h and its file, which
 * are worked out here by hand.
 */
#include "kernel/pmc/sample_ring.h"
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "kernel/cpu/cpu.h"
#include "tests/kernel/selftest.h"
#include "tools/qpmu/include/qpmu.h"

#define PLACES 20000u /* more than there is room for */
#define WORDS  32768u /* 64 pages */
#define KEPT   16383u /* a word for the batch, two for each place */
#define TICKS  16u    /* of whose shares samples may have the last ones' */
#define PARTS  64u    /* one batch has such a part of a share, each sample of it another of that */
#define SEVEN  7u

static struct sample_ring ring;
static struct pmc_taken taken;

static void sample_ring_put_places(unsigned count)
{
    sample_ring_open(&ring, false);
    for (unsigned i = 0; i < count; i++)
        sample_ring_put(&ring, 1, false, 0x1000 + 4 * (uintptr_t)i);
    sample_ring_close(&ring);
}

/* The samples in all entries of the ring, and in *ENTRIES how many those are. */
static uint64_t sample_ring_take_all(unsigned *entries)
{
    uint64_t sum = 0;

    for (*entries = 0; sample_ring_take(&ring, &taken); ++*entries)
        sum += taken.count;
    return sum;
}

static int check_room(void)
{
    unsigned entries;

    SELFTEST_EQUAL(ring.mask + 1, WORDS);
    sample_ring_put_places(PLACES);
    SELFTEST_EQUAL(ring.counts.sample, KEPT);
    SELFTEST_EQUAL(ring.counts.overflow, PLACES - KEPT);
    sample_ring_put_places(1); /* refused: no room for a chain */
    SELFTEST_EQUAL(ring.counts.overflow, PLACES - KEPT + 1);
    SELFTEST_EQUAL(sample_ring_take_all(&entries), KEPT);
    SELFTEST_EQUAL(entries, KEPT);
    ring.spent = 0;
    sample_ring_put_places(0); /* nothing, then, and no batch of nothing */
    sample_ring_put_places(SEVEN);
    SELFTEST_EQUAL(sample_ring_take_all(&entries), SEVEN);
    SELFTEST_EQUAL(ring.counts.sample, KEPT + SEVEN);
    return 0;
}

/* Of five samples those two are alike that differ in nothing; a batch knows nothing of others. */
static int check_alike(void)
{
    static const struct {
        int event;
        bool user;
        uintptr_t pc;
    } put[] = {{1, false, 0x1000},
               {1, false, 0x1000},
               {2, false, 0x1000},
               {1, true, 0x1000},
               {1, false, 0x1004}},
      found[] = {{1, false, 0x1000}, {2, false, 0x1000}, {1, true, 0x1000}, {1, false, 0x1004}};
    unsigned entries;

    sample_ring_open(&ring, false);
    for (unsigned i = 0; i < sizeof put / sizeof *put; i++)
        sample_ring_put(&ring, put[i].event, put[i].user, put[i].pc);
    sample_ring_close(&ring);
    sample_ring_put_places(1);
    for (unsigned i = 0; i < 4; i++) {
        SELFTEST_CHECK(sample_ring_take(&ring, &taken));
        SELFTEST_EQUAL(taken.count, i == 0 ? 2 : 1);
        SELFTEST_CHECK(taken.event == (unsigned)found[i].event && taken.user == found[i].user &&
                       taken.pc == found[i].pc && taken.another == (i == 0));
    }
    SELFTEST_EQUAL(sample_ring_take_all(&entries), 1);
    SELFTEST_EQUAL(entries, 1);
    return 0;
}

/* Who called is told with the first of those that are alike. */
static int check_callers(void)
{
    static const uint64_t words[8] = {11, 12, 13, 14, 15, 16, 17, 18};
    struct qpmu_callers callers = {.hash = 5, .first = 6, .count = 3, .flags = QPMU_CALLERS_WHOLE};
    unsigned entries;

    ring.chains = true;
    ring.callers = &callers;
    ring.caller_words = words;
    ring.caller_mask = 7;
    sample_ring_open(&ring, false);
    sample_ring_put(&ring, 1, false, 0x1000);
    sample_ring_put(&ring, 1, false, 0x1000);
    callers.hash = 6;
    callers.flags = QPMU_CALLERS_CUT;
    sample_ring_put(&ring, 1, false, 0x1000);
    sample_ring_close(&ring);
    ring.chains = false;
    ring.callers = NULL;
    for (unsigned i = 0; i < 2; i++) {
        SELFTEST_CHECK(sample_ring_take(&ring, &taken));
        SELFTEST_CHECK(taken.exact && taken.depth == 3 && taken.hash == 5 + i);
        SELFTEST_CHECK(taken.whole == (i == 0) && taken.cut == (i == 1));
        SELFTEST_CHECK(taken.chain[0] == 17 && taken.chain[1] == 18 && taken.chain[2] == 11);
        SELFTEST_EQUAL(taken.count, i == 0 ? 2 : 1);
    }
    SELFTEST_EQUAL(sample_ring_take_all(&entries), 0);
    return 0;
}

/* What a batch costs that had SAMPLES and took at least CYCLES. */
static uint64_t sample_ring_cost(unsigned samples, uint64_t cycles, uint64_t *passed)
{
    uint64_t spent = ring.spent, begin = cycles_now(), start;
    unsigned entries;

    sample_ring_open(&ring, false);
    for (unsigned i = 0; i < samples; i++)
        sample_ring_put(&ring, 1, false, 0x1000);
    start = cycles_now();
    while (cycles_between(start, cycles_now()) < cycles)
        ;
    sample_ring_close(&ring);
    *passed = cycles_between(begin, cycles_now());
    (void)sample_ring_take_all(&entries);
    return ring.spent - spent;
}

/* Interrupts are off: no tick comes. */
static int check_share(void)
{
    uint64_t part = ring.share / PARTS, passed, spent;

    ring.spent = 0;
    SELFTEST_EQUAL(sample_ring_cost(0, 2 * part, &passed), part);
    SELFTEST_EQUAL(sample_ring_cost(SEVEN, 2 * part, &passed), part + SEVEN * (part / PARTS));
    for (unsigned i = 0; i < 100; i++) { /* short ones: what each took, if that is less */
        spent = sample_ring_cost(1, part / PARTS, &passed);
        SELFTEST_CHECK(spent >= part / PARTS && spent <= passed && spent <= part + part / PARTS);
    }
    ring.spent = TICKS * ring.share;
    SELFTEST_EQUAL(sample_ring_cost(1, 0, &passed), 0);
    ring.spent = TICKS * ring.share - 1;
    SELFTEST_CHECK(sample_ring_cost(1, 0, &passed) > 0);
    /* Half of the time since, and no more than there was. */
    ring.spent = 5000;
    ring.tick = cpu_here.clock.next_tick - 6000;
    ring.batch = BATCH_NONE;
    sample_ring_open(&ring, false);
    SELFTEST_EQUAL(ring.spent, 2000);
    SELFTEST_EQUAL(ring.tick, cpu_here.clock.next_tick);
    ring.tick -= 6000;
    sample_ring_open(&ring, false);
    SELFTEST_EQUAL(ring.spent, 0);
    sample_ring_open(&ring, false);
    SELFTEST_EQUAL(ring.spent, 0);
    return 0;
}

SELFTEST(sample_ring, "sample-ring", "a ring adds up what is alike, counts the rest, has its share")
{
    static int (*const checks[])(void) = {check_room, check_alike, check_callers, check_share};
    int failed = 0;

    for (unsigned i = 0; failed == 0 && i < sizeof checks / sizeof *checks; i++) {
        uintptr_t state;

        SELFTEST_CHECK(sample_ring_begin(&ring, false));
        state = interrupts_save();
        ring.tick = cpu_here.clock.next_tick;
        failed = checks[i]();
        interrupts_restore(state);
        sample_ring_end(&ring);
    }
    return failed;
}
