/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmc(9) with the hardware's counters: two threads that take turns, interrupts off, each in a loop
 * of known length, so that the same run twice counts the same to the instruction.
 */
#include <arch/interrupt_flag.h>
#include <sys/pmc.h>
#include "kernel/cpu/preempt.h"
#include "kernel/cpu/cpu.h"
#include "kernel/pmc/pmc_read.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "lib/string.h"
#include "tests/kernel/pmu_measure.h"

#define ROUNDS 1000u

#ifdef QUIPU_CHECKED
#define CHECKED true /* the locks' statistics make each switch another length */
#else
#define CHECKED false
#endif

/* Instructions on two counters; the kernel's instructions on a third, or, where there are but two,
 * on the second. */
#ifdef __mips__
#define OWN_CODE    15u
#define SECOND_CODE 17u
#define KERNEL_CTR  1
#define WITH_KERNEL 1u /* counters that the threads have besides */
#define KERNEL_CODE 17u
#else
#define OWN_CODE    0xc0u
#define SECOND_CODE 0xc0u
#define KERNEL_CTR  2
#define WITH_KERNEL 2u
#define KERNEL_CODE 0xc0u
#endif

struct turns {
    uint64_t loop;     /* turns of the loop in each round */
    unsigned counters; /* that the thread has running */
    uint64_t own[2];   /* out: what it counted over its rounds, on each */
    uint64_t whole;    /* out: what all did meanwhile */
    int error;
};

static struct turns both[2];

static int count_here(unsigned counters)
{
    struct pmc_counter_cfg cfg[] = {{OWN_CODE, 0, 0}, {SECOND_CODE, 0, 0}};
    int error = 0;

    for (unsigned n = 0; n < counters && error == 0; n++) {
        error = pmc_configure_counter(curlwp, (int)n, &cfg[n]);
        if (error == 0)
            error = pmc_enable_counter(curlwp, (int)n);
    }
    return error;
}

static void rounds(const struct turns *t, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        pmu_code_kernel(&pmu_code_loop, t->loop);
        thread_yield();
    }
}

/* The same instructions each time, so that those between the two counters cancel out. */
static __attribute__((noinline)) void read_counters(unsigned counters, uint64_t *values)
{
    for (unsigned n = 0; n < counters; n++)
        values[n] = pmc_count((int)n);
}

/* While one counts its rounds, the other is there and does the same, whoever came first. */
static void pmc_switch_take_turns(void *argument)
{
    const struct pmu_class *class = pmu_hardware();
    struct turns *t = argument;
    uint64_t before[2];
    uintptr_t state;

    t->error = count_here(t->counters);
    state = interrupts_save();
    rounds(t, 3);
    read_counters(t->counters, before);
    t->whole = class->read(KERNEL_CTR);
    rounds(t, ROUNDS);
    t->whole = class->read(KERNEL_CTR) - t->whole;
    read_counters(t->counters, t->own);
    for (unsigned n = 0; n < t->counters; n++)
        t->own[n] -= before[n];
    rounds(t, 3);
    interrupts_restore(state);
}

/* The kernel's counter, if KERNEL, counts over all of both threads. */
static int pmc_switch_run(uint64_t loop_a, uint64_t loop_b, unsigned counters, bool kernel,
                          uint64_t *whole)
{
    struct pmc_counter_cfg cfg = {KERNEL_CODE, 0, 0};
    struct thread *threads[2];

    both[0] = (struct turns){.loop = loop_a, .counters = counters};
    both[1] = (struct turns){.loop = loop_b, .counters = counters};
    if (kernel)
        SELFTEST_EQUAL(pmc_alloc_kernel_counter(KERNEL_CTR, &cfg), 0);
    preempt_disable();
    for (unsigned i = 0; i < 2; i++)
        SELFTEST_EQUAL(thread_create("turns", THREAD_PRIORITY_NORMAL, pmc_switch_take_turns,
                                     &both[i], &threads[i]),
                       0);
    preempt_enable();
    for (unsigned i = 0; i < 2; i++)
        thread_join(threads[i]);
    if (kernel) {
        SELFTEST_EQUAL(pmc_get_counter_value(NULL, KERNEL_CTR, 0, whole), 0);
        SELFTEST_EQUAL(pmc_free_kernel_counter(KERNEL_CTR), 0);
    }
    SELFTEST_EQUAL(both[0].error + both[1].error, 0);
    return 0;
}

/* Within SLACK. Where another CPU can make this one wait for the lock of its queue, for as long as
 * a host pleases, only what the loops cannot do without is certain. */
static bool is_about(uint64_t is, uint64_t ought, uint64_t slack)
{
    return is + slack >= ought && is <= ought + slack;
}

static int compare_shared(void)
{
    uint64_t kernel, least[2] = {ROUNDS * 10 * CODE_LOOP_TURN, ROUNDS * 20 * CODE_LOOP_TURN};

    if (pmc_switch_run(10, 20, WITH_KERNEL, true, &kernel) != 0)
        return 1;
    for (unsigned i = 0; i < 2; i++) { /* what one counted while the other took as many turns */
        for (unsigned n = 0; n < WITH_KERNEL; n++) {
            SELFTEST_CHECK(both[i].own[n] >= least[i]);
            SELFTEST_CHECK(both[i].whole >= both[i].own[n] + least[1 - i]);
        }
        SELFTEST_CHECK(kernel > both[i].whole);
    }
    return 0;
}

/* Of counter N, two runs with more and fewer turns of the second thread. */
static int compare_one(unsigned n, const struct turns *few, const struct turns *many)
{
    SELFTEST_EQUAL(many[0].own[n], few[0].own[n]); /* nothing of the other's */
    SELFTEST_EQUAL(many[1].own[n] - few[1].own[n], ROUNDS * 30 * CODE_LOOP_TURN);
    return 0;
}

static int compare(void)
{
    struct turns few[2];
    uint64_t a, b, kernel;

    if (pmc_switch_run(10, 20, WITH_KERNEL, true, &kernel) != 0)
        return 1;
    memcpy(few, both, sizeof few);
    SELFTEST_CHECK(kernel > few[0].whole);
    if (pmc_switch_run(10, 50, WITH_KERNEL, true, &kernel) != 0)
        return 1;
    for (unsigned n = 0; n < WITH_KERNEL; n++) {
        a = few[0].own[n];
        b = few[1].own[n];
        if (!is_about(few[0].whole, a + b, 200)) /* the readings, of which one may be in both */
            return selftest_fail("counter %u: %lu and %lu are not %lu", n, (unsigned long)a,
                                 (unsigned long)b, (unsigned long)few[0].whole);
        if (compare_one(n, few, both) != 0)
            return 1;
    }
    SELFTEST_CHECK(is_about(both[0].whole - few[0].whole, ROUNDS * 30 * CODE_LOOP_TURN, 200));
    return 0;
}

/* Two counters of each thread: what is switched between the readings of one is switched, as much
 * of it, between those of the other. */
static int compare_both(void)
{
    struct turns few[2];

    if (pmc_switch_run(10, 20, 2, false, NULL) != 0)
        return 1;
    memcpy(few, both, sizeof few);
    if (pmc_switch_run(10, 50, 2, false, NULL) != 0)
        return 1;
    for (unsigned n = 0; n < 2; n++) {
        SELFTEST_EQUAL(few[n].own[0], few[n].own[1]);
        SELFTEST_EQUAL(both[n].own[0], both[n].own[1]);
        if (compare_one(n, few, both) != 0)
            return 1;
    }
    return 0;
}

SELFTEST_COUNTERS_ONE_CPU(
    pmc_switch, "pmc-switch",
    "two threads taking turns 1,000 times each count their own, the kernel the whole")
{
    if (!pmu_hardware())
        return selftest_skip("no hardware counters");
    if (cpu_count() > 1 || CHECKED)
        return compare_shared();
    return compare() != 0 ? 1 : compare_both();
}

/* Instructions of a round of both threads, straight from the hardware: where nobody counts, pmc(9)
 * shall not be in the way. */
static int round_cost(unsigned counters, uint64_t *cost)
{
    const struct pmu_class *class = pmu_hardware();
    uint64_t unused;

    class->program(KERNEL_CTR, KERNEL_CODE, PMC_MODE_ALL, false);
    class->write(KERNEL_CTR, 0);
    class->start(KERNEL_CTR);
    if (pmc_switch_run(10, 10, counters, false, &unused) != 0)
        return 1;
    class->stop(KERNEL_CTR);
    *cost = both[0].whole / ROUNDS;
    return 0;
}

/* Where there are two counters, `make bench` tells. */
SELFTEST_COUNTERS_ONE_CPU(
    pmc_cost, "pmc-cost",
    "a switch between two threads that count costs 40 instructions more, or fewer")
{
    uint64_t plain, counting;

    if (!pmu_hardware() || KERNEL_CTR < 2)
        return selftest_skip("no third hardware counter");
    if (round_cost(0, &plain) != 0 || round_cost(2, &counting) != 0)
        return 1;
    counting = (counting - plain + 1) / 2;
    if (counting > 40 && cpu_count() == 1)
        return selftest_fail("%lu instructions", (unsigned long)counting);
    return selftest_note("%lu instructions", (unsigned long)counting);
}

/* By the counter's own account: of two readings in a row, the second sees one reading. */
SELFTEST_COUNTERS_ONE_CPU(pmc_read, "pmc-read",
                          "reading a running counter takes 30 instructions, or fewer, and agrees")
{
    uint64_t first, second, third = 0;
    uintptr_t state;

    if (!pmu_hardware())
        return selftest_skip("no hardware counters");
    SELFTEST_EQUAL(count_here(1), 0);
    state = interrupts_save();
    first = pmc_count(0);
    second = pmc_count(0);
    (void)pmc_get_counter_value(curlwp, 0, 0, &third);
    interrupts_restore(state);
    SELFTEST_EQUAL(pmc_disable_counter(curlwp, 0), 0);
    SELFTEST_EQUAL(pmc_count(0) > third, 1);
    SELFTEST_EQUAL(pmc_release_counter(curlwp, 0), 0);
    SELFTEST_EQUAL(pmc_count(0), 0);
    SELFTEST_CHECK(third > second && third - second < 200);
    SELFTEST_CHECK(second - first <= 30);
    return selftest_note("%lu instructions", (unsigned long)(second - first));
}
