/* SPDX-License-Identifier: BSD-2-Clause */
/* pmc(9): periods. The overflows of N events with period P are floor(N / P), each at its event. */
#include <sys/pmc.h>

#include "stats/pmc/pmc_private.h"
#include "tests/host/pmc_check.h"

#include <quipu_host.h>
#include <stddef.h>

static struct lwp a, b;
static struct pmc_sample last;
static uint64_t known, unknown, of_kernel, of_a, of_b, wrong_place, period;

static void note(const struct pmc_sample *sample)
{
    last = *sample;
    if (sample->known)
        known += sample->count;
    else
        unknown += sample->count;
    if (sample->known && sample->pc % period != 0)
        wrong_place++;
    of_kernel += sample->kernel;
    if (sample->l == &a)
        of_a += sample->count;
    if (sample->l == &b)
        of_b += sample->count;
}

static const struct pmu_owner own = {.name = "own", .sample = note};
static const struct pmu_owner profile = {
    .name = "profile", .rank = PMU_RANK_PROFILE, .system = true, .profiles = true, .sample = note};

struct kind {
    unsigned width;
    bool at_half, keeps, reloads;
};

static void start(const struct kind *kind)
{
    host_reset();
    a = b = (struct lwp){0};
    known = unknown = of_kernel = of_a = of_b = wrong_place = 0;
    host_pmu_attach(&(struct host_pmu){.counters = 2,
                                       .width = kind->width,
                                       .at_half = kind->at_half,
                                       .interrupts = true,
                                       .keeps = kind->keeps,
                                       .reloads = kind->reloads,
                                       .swaps = true});
}

static void configure(struct lwp *l, int ctr, uint64_t p)
{
    struct pmc_counter_cfg cfg = {HOST_PMU_CYCLES, p, 0};

    GIVES(pmc_configure_as(&own, l, ctr, &cfg, NULL), 0);
    GIVES(pmc_enable_as(&own, l, 1u << ctr, true), 0);
    period = p;
}

static uint64_t value(struct lwp *l, int ctr)
{
    uint64_t v = UINT64_MAX;

    GIVES(pmc_get_counter_value(l, ctr, 0, &v), 0);
    return v;
}

static uint64_t overflows(struct lwp *l, int ctr)
{
    uint64_t v = UINT64_MAX;

    GIVES(pmc_get_overflows(l, ctr, &v), 0);
    return v;
}

static const struct kind kinds[] = {
    {32, true, false, true},   {32, true, false, false}, {48, false, false, true},
    {48, false, false, false}, {8, true, false, true},   {8, false, false, false},
    {8, true, false, false},   {64, false, false, true},
};

TEST(pmc_overflows_are_the_quotient)
{
    static const uint64_t periods[] = {1, 2, 3, 7, 100, 128, 1000};

    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (unsigned p = 0; p < sizeof periods / sizeof *periods; p++) {
            start(&kinds[k]);
            configure(&a, 0, periods[p]);
            host_pmu_switch(0, &a);
            host_pmu_count(0, 0, periods[p] - 1);
            GIVES(known, 0);
            host_pmu_count(0, 0, 1);
            GIVES(known, 1);
            GIVES(last.pc, periods[p]); /* after exactly that many */
            host_pmu_count(0, 0, 10007);
            GIVES(value(&a, 0), 10007 + periods[p]);
            GIVES(known, 1 + 10007 / periods[p]);
            GIVES(overflows(&a, 0), known);
            GIVES(unknown + wrong_place, 0);
            CHECK(last.exact && !last.kernel && last.l == &a && last.ctr == 0);
        }
}

/* What is left of a period waits for its thread, on any CPU. */
TEST(pmc_period_goes_on_elsewhere)
{
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        start(&kinds[k]);
        configure(&a, 0, 100);
        configure(&b, 0, 100);
        for (unsigned i = 0; i < 1000; i++) {
            host_pmu_switch(i % 3, &a);
            host_pmu_count(i % 3, 0, 33);
            host_pmu_switch(i % 3, i % 5 == 0 ? NULL : &b);
            host_pmu_count(i % 3, 0, 7);
            host_pmu_switch(i % 3, NULL);
        }
        GIVES(value(&a, 0), 33000);
        GIVES(value(&b, 0), 5600);
        GIVES(of_a, 330);
        GIVES(of_b, 56);
        GIVES(unknown, 0);
    }
}

/* Overflows that wait in a ring are still those of the thread that made them, and if the ring was
 * too small at least they count. */
TEST(pmc_overflows_kept_belong_to_their_thread)
{
    static const struct kind kind = {32, true, true, true};

    start(&kind);
    configure(&a, 0, 10);
    configure(&b, 0, 10);
    host_pmu_switch(0, &a);
    host_pmu_count(0, 0, 95);
    GIVES(known, 0);
    host_pmu_switch(0, &b);
    GIVES(of_a, 9);
    host_pmu_count(0, 0, 305);
    host_pmu_switch(0, &a);
    GIVES(of_b, 30);
    GIVES(unknown, 14); /* 16 had room */
    host_pmu_count(0, 0, 5);
    GIVES(value(&a, 0), 100);
    GIVES(value(&b, 0), 305);
    GIVES(overflows(&a, 0), 10);
    GIVES(overflows(&b, 0), 30);
}

/* So are those of a profile, though both threads count the same and could be switched between
 * without a look. */
TEST(pmc_samples_kept_belong_to_their_thread)
{
    static const struct kind kind = {48, false, true, true};
    struct pmc_counter_cfg cfg = {HOST_PMU_CYCLES, 10, 0};

    start(&kind);
    configure(&a, 0, 0);
    configure(&b, 0, 0);
    period = 10;
    for (unsigned i = 0; i < 6; i++) {
        if (i == 2)
            GIVES(pmc_take(&profile, 1u << 1, &cfg, PMU_IF_FREE, NULL), 0);
        host_pmu_switch(0, i % 2 == 0 ? &a : &b);
        host_pmu_count(0, 0, 1);
        host_pmu_count(0, 1, i % 2 == 0 ? 50 : 70);
    }
    host_pmu_tick(0);
    GIVES(of_a, 10);
    GIVES(of_b, 14);
    GIVES(value(&a, 0), 3);
    GIVES(pmc_give(&profile, 1), 0);
}

/* What the ring had no room for is lost: a count of its own beside that of all overflows. */
TEST(pmc_samples_lost_are_counted)
{
    static const struct kind kind = {48, false, true, true};
    struct pmc_counter_cfg cfg = {HOST_PMU_CYCLES, 10, 0};
    struct pmc_cpu_value of_cpu;

    start(&kind);
    period = 10;
    GIVES(pmc_take(&profile, 1u << 1, &cfg, PMU_IF_FREE, NULL), 0);
    host_pmu_switch(0, NULL);
    host_pmu_count(0, 1, 305);
    host_pmu_tick(0);
    GIVES(known, 16);
    GIVES(unknown, 14);
    GIVES(pmc_get_cpu_value(1, 0, &of_cpu), 0);
    GIVES(of_cpu.value, 305);
    GIVES(of_cpu.overflows, 30);
    GIVES(of_cpu.lost, 14);
    GIVES(pmc_get_cpu_value(1, 1, &of_cpu), 0);
    GIVES(of_cpu.overflows + of_cpu.lost, 0);
    GIVES(pmc_give(&profile, 1), 0);
}

/* Since when each counts: its kstat's crtime. */
TEST(pmc_counters_say_since_when)
{
    static const struct kind kind = {48, false, false, true};
    struct pmc_counter_cfg cfg = {HOST_PMU_CYCLES, 0, 0};
    struct pmc_cpu_value of_cpu;

    start(&kind);
    host_clock_set(1000);
    configure(&a, 0, 0);
    host_clock_set(2000);
    GIVES(pmc_alloc_kernel_counter(1, &cfg), 0);
    host_clock_set(3000);
    GIVES(pmc_fork(&a, &b), 0);
    host_clock_set(4000);
    GIVES(a.l_pmc->want[0].since, 1000);
    GIVES(b.l_pmc->want[0].since, 3000);
    GIVES(pmc_get_cpu_value(1, 0, &of_cpu), 0);
    GIVES(of_cpu.since, 2000);
    GIVES(pmc_free_kernel_counter(1), 0);
    pmc_process_exit(&b);
    pmc_process_exit(&a);
}

/* Without a reload the hardware runs on until somebody looks. */
TEST(pmc_late_overflows_are_made_up_for)
{
    static const struct kind kind = {32, true, true, false};

    start(&kind);
    configure(&a, 0, 10);
    host_pmu_switch(0, &a);
    host_pmu_count(0, 0, 95);
    host_pmu_tick(0);
    GIVES(value(&a, 0), 95);
    GIVES(known, 1);
    GIVES(unknown, 8);
    host_pmu_count(0, 0, 5); /* the tenth, in its place */
    host_pmu_tick(0);
    GIVES(known, 2);
    GIVES(value(&a, 0), 100);
}

TEST(pmc_period_longer_than_the_register)
{
    static const struct kind kind = {8, true, false, true};

    start(&kind);
    configure(&a, 0, 1000);
    host_pmu_switch(0, &a);
    host_pmu_count(0, 0, 999);
    GIVES(known, 0);
    host_pmu_count(0, 0, 9001);
    GIVES(known, 10);
    GIVES(wrong_place + unknown, 0);
    GIVES(value(&a, 0), 10000);
}

TEST(pmc_profiling_counts_every_cpu)
{
    struct pmc_counter_cfg cfg = {HOST_PMU_CYCLES, 50, 0};
    struct pmc_cpu_value of_cpu;
    uint64_t whole;

    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        start(&kinds[k]);
        period = 50;
        GIVES(pmc_take(&profile, 1u << 1, &cfg, PMU_IF_FREE, NULL), 0);
        configure(&a, 0, 0);
        configure(&b, 0, 0);
        period = 50;
        for (unsigned i = 0; i < 100; i++) {
            host_pmu_switch(i % 2, i % 3 == 0 ? &a : &b);
            host_pmu_count(i % 2, 0, 1);
            host_pmu_count(i % 2, 1, 30);
            host_pmu_switch(i % 2, NULL);
        }
        GIVES(pmc_get_counter_value(NULL, 1, 0, &whole), 0);
        GIVES(whole, 3000);
        GIVES(known, 60);
        GIVES(of_kernel, 60);
        GIVES(of_a + of_b, 60);
        GIVES(pmc_get_cpu_value(1, 1, &of_cpu), 0);
        GIVES(of_cpu.value, 1500);
        GIVES(of_cpu.overflows, 30);
        GIVES(of_cpu.lost, 0);
        GIVES(value(&a, 0) + value(&b, 0), 100);
        GIVES(pmc_give(&profile, 1), 0);
        host_pmu_count(0, 1, 1000);
        GIVES(known, 60);
    }
}

/* A child begins with the whole period. */
TEST(pmc_child_takes_over_the_period)
{
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct pmc_counter_cfg cfg;

        start(&kinds[k]);
        configure(&a, 0, 100);
        host_pmu_switch(0, &a);
        host_pmu_count(0, 0, 60);
        GIVES(pmc_fork(&a, &b), 0);
        GIVES(pmc_get_config(&b, 0, &cfg), 0);
        GIVES(cfg.reset_value, 100);
        GIVES(value(&b, 0), 0);
        host_pmu_switch(0, &b);
        host_pmu_count(0, 0, 99);
        GIVES(known, 0);
        host_pmu_count(0, 0, 1);
        GIVES(of_b, 1);
        GIVES(value(&b, 0), 100);
        host_pmu_switch(0, &a);
        host_pmu_count(0, 0, 40);
        GIVES(of_a, 1);
    }
}

TEST(pmc_same_thread_again_is_not_loaded_again)
{
    static const struct kind kind = {48, false, false, true};
    unsigned before;

    start(&kind);
    configure(&a, 0, 1000);
    host_pmu_switch(0, &a);
    host_pmu_count(0, 0, 10);
    before = host_pmu_writes();
    for (unsigned i = 0; i < 10; i++) {
        host_pmu_switch(0, NULL);
        host_pmu_count(0, 0, 1000000);
        host_pmu_switch(0, &a);
        host_pmu_count(0, 0, 10);
    }
    GIVES(host_pmu_writes(), before);
    GIVES(value(&a, 0), 110);
}
