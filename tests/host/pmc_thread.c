/* SPDX-License-Identifier: BSD-2-Clause */
/* pmc(9): counts of threads and of the kernel across switches, CPUs and generations, against sums
 * done by hand. */
#include <sys/pmc.h>

#include "lib/errno.h"
#include "tests/host/pmc_check.h"

#include <quipu_host.h>
#include <stddef.h>

#define LWPS 4
static struct lwp a, b, c, d;

static void start(unsigned width, bool at_half, bool swaps)
{
    a = b = c = d = (struct lwp){0};
    host_pmu_attach(&(struct host_pmu){
        .counters = 4, .width = width, .at_half = at_half, .interrupts = true, .swaps = swaps});
}

static void configure(struct lwp *l, int ctr, pmc_evid_t event, uint32_t flags)
{
    struct pmc_counter_cfg cfg = {event, 0, flags};

    GIVES(pmc_configure_counter(l, ctr, &cfg), 0);
    GIVES(pmc_enable_counter(l, ctr), 0);
}

static uint64_t value(struct lwp *l, int ctr)
{
    uint64_t v = UINT64_MAX;

    GIVES(pmc_get_counter_value(l, ctr, 0, &v), 0);
    return v;
}

static uint64_t children(struct lwp *l, int ctr)
{
    uint64_t v = UINT64_MAX;

    GIVES(pmc_get_counter_value(l, ctr, PMC_VALUE_FLAGS_CHILDREN, &v), 0);
    return v;
}

static void alternate(bool swaps)
{
    struct pmc_counter_cfg kernel = {HOST_PMU_CYCLES, 0, 0};
    uint64_t whole;

    start(32, true, swaps);
    GIVES(pmc_alloc_kernel_counter(2, &kernel), 0);
    for (int ctr = 0; ctr < 2; ctr++) {
        configure(&a, ctr, HOST_PMU_CYCLES, 0);
        configure(&b, ctr, HOST_PMU_CYCLES, 0);
    }
    for (unsigned i = 0; i < 1000; i++)
        for (int turn = 0; turn < 2; turn++) {
            host_pmu_switch(0, turn == 0 ? &a : &b);
            for (int ctr = 0; ctr < 3; ctr++)
                host_pmu_count(0, ctr, turn == 0 ? 3 : 5);
        }
    for (int ctr = 0; ctr < 2; ctr++) {
        GIVES(value(&a, ctr), 3000);
        GIVES(value(&b, ctr), 5000);
        GIVES(value(&b, ctr), 5000); /* reading adds nothing */
    }
    GIVES(pmc_get_counter_value(NULL, 2, 0, &whole), 0);
    GIVES(whole, 8000);
    GIVES(pmc_get_counter_value(&a, 2, 0, &whole), ENXIO);
    CHECK(host_pmu_writes() < 20); /* none at a switch */
}

TEST(pmc_two_threads_alternate)
{
    alternate(false);
}

TEST(pmc_two_threads_alternate_by_the_short_switch)
{
    alternate(true);
}

/* As the manual has it: saved before a switch, restored after it. */
TEST(pmc_the_running_thread_is_the_one_restored)
{
    struct pmc_counter_cfg cycles = {HOST_PMU_CYCLES, 0, 0};
    uint64_t of_a, of_b, kernel;

    start(48, false, false);
    GIVES(pmc_alloc_kernel_counter(1, &cycles), 0);
    GIVES(pmc_configure_counter(&a, 0, &cycles), 0);
    GIVES(pmc_configure_counter(&b, 0, &cycles), 0);
    GIVES(pmc_enable_counter(&a, 0), 0);
    GIVES(pmc_enable_counter(&b, 0), 0);
    for (unsigned turn = 0; turn < 1000; turn++) {
        pmc_restore_context(&a);
        host_pmu_count(0, 0, 3);
        host_pmu_count(0, 1, 3);
        GIVES(pmc_get_counter_value(&a, 0, 0, &of_a), 0);
        CHECK(curlwp == &a && of_a == 3 * (turn + 1));
        pmc_save_context(&a);
        host_pmu_count(0, 0, 1);
        pmc_restore_context(&b);
        host_pmu_count(0, 0, 5);
        host_pmu_count(0, 1, 5);
        pmc_save_context(&b);
        CHECK(curlwp != &b);
    }
    GIVES(pmc_get_counter_value(&a, 0, 0, &of_a), 0);
    GIVES(pmc_get_counter_value(&b, 0, 0, &of_b), 0);
    GIVES(pmc_get_counter_value(NULL, 1, 0, &kernel), 0);
    CHECK(of_a == 3000 && of_b == 5000 && kernel == 8000);
    pmc_restore_context(&b);
    host_pmu_count(0, 0, 7);
    GIVES(pmc_disable_counter(&b, 0), 0);
    host_pmu_count(0, 0, 9);
    GIVES(pmc_get_counter_value(&b, 0, 0, &of_b), 0);
    CHECK(of_b == 5007);
    GIVES(pmc_free_kernel_counter(1), 0);
}

TEST(pmc_wide_counts_of_narrow_registers)
{
    static const unsigned widths[] = {2, 3, 8, 16, 31};
    uint64_t amount;

    for (unsigned i = 0; i < 2 * sizeof widths / sizeof *widths; i++) {
        unsigned width = widths[i / 2];

        host_reset();
        start(width, i % 2 != 0, false);
        configure(&a, 0, HOST_PMU_CYCLES, 0);
        host_pmu_switch(0, &a);
        amount = (5ull << width) + 3;
        host_pmu_count(0, 0, amount);
        GIVES(value(&a, 0), amount);
        host_pmu_switch(0, NULL);
        host_pmu_count(0, 0, amount); /* nobody's */
        host_pmu_switch(0, &a);
        host_pmu_count(0, 0, amount);
        host_pmu_switch(1, NULL);
        GIVES(value(&a, 0), 2 * amount);
    }
}

/* Ticks come often enough for these. */
TEST(pmc_wide_counts_by_ticks)
{
    static const unsigned widths[] = {32, 40, 48, 64};

    for (unsigned i = 0; i < 2 * sizeof widths / sizeof *widths; i++) {
        unsigned width = widths[i / 2];
        uint64_t step = 1ull << (width - 2);

        host_reset();
        start(width, i % 2 != 0, false);
        configure(&a, 0, HOST_PMU_CYCLES, 0);
        host_pmu_switch(2, &a);
        for (unsigned turn = 0; turn < 15; turn++) {
            host_pmu_count(2, 0, step - 1);
            host_pmu_tick(2);
        }
        GIVES(value(&a, 0), 15 * (step - 1));
    }
}

TEST(pmc_thread_moves)
{
    start(48, false, true);
    configure(&a, 1, HOST_PMU_INSTRUCTIONS, 0);
    for (unsigned i = 0; i < 12; i++) {
        host_pmu_switch(i % 4, &a);
        host_pmu_count(i % 4, 1, i);
        host_pmu_count((i + 1) % 4, 1, 1000); /* others' */
        host_pmu_switch(i % 4, i % 3 == 0 ? &b : NULL);
        host_pmu_count(i % 4, 1, 100);
    }
    GIVES(value(&a, 1), 66);
}

TEST(pmc_other_cpu_reads_and_configures)
{
    start(48, false, true);
    host_pmu_switch(0, &a);
    host_pmu_switch(3, &b);
    configure(&b, 0, HOST_PMU_CYCLES, 0); /* by a, on CPU 0, while b runs on CPU 3 */
    host_pmu_count(3, 0, 7);
    GIVES(value(&b, 0), 7);
    GIVES(pmc_disable_counter(&b, 0), 0);
    CHECK(!host_pmu_running(3, 0));
    host_pmu_count(3, 0, 100);
    GIVES(value(&b, 0), 7);
    GIVES(pmc_enable_counter(&b, 0), 0);
    host_pmu_count(3, 0, 1);
    host_pmu_switch(3, NULL);
    GIVES(value(&b, 0), 8);
    configure(&b, 0, HOST_PMU_INSTRUCTIONS, 0); /* while it does not run */
    GIVES(value(&b, 0), 0);
    CHECK(pmc_counter_isrunning(&b, 0) == 1);
    host_pmu_switch(1, &b);
    host_pmu_count(1, 0, 9);
    GIVES(value(&b, 0), 9);
}

TEST(pmc_modes_are_apart)
{
    start(32, true, false);
    configure(&a, 0, HOST_PMU_CYCLES, PMC_MODE_U);
    configure(&a, 1, HOST_PMU_CYCLES, PMC_MODE_K | PMC_MODE_EXL);
    configure(&a, 2, HOST_PMU_CYCLES, 0);
    host_pmu_switch(0, &a);
    for (uint32_t mode = 1; mode <= 8; mode *= 2) {
        host_pmu_mode(0, mode);
        for (int ctr = 0; ctr < 3; ctr++)
            host_pmu_count(0, ctr, mode);
    }
    GIVES(value(&a, 0), 8);
    GIVES(value(&a, 1), 3);
    GIVES(value(&a, 2), 15);
}

/* a makes b, b makes c, c makes d; all end but a. */
TEST(pmc_grandchildren_count)
{
    struct lwp *line[] = {&a, &b, &c, &d};

    start(48, false, true);
    configure(&a, 0, HOST_PMU_CYCLES, 0);
    configure(&a, 1, HOST_PMU_INSTRUCTIONS, PMC_MODE_K);
    GIVES(pmc_disable_counter(&a, 1), 0);
    for (unsigned i = 0; i < LWPS; i++) {
        if (i > 0)
            GIVES(pmc_fork(line[i - 1], line[i]), 0);
        host_pmu_switch(0, line[i]);
        host_pmu_count(0, 0, i == 0 ? 1 : i == 1 ? 10 : i == 2 ? 100 : 1000);
    }
    CHECK(pmc_counter_isconfigured(&b, 0) == 1 && pmc_counter_isrunning(&d, 0) == 1);
    CHECK(pmc_counter_isconfigured(&b, 1) == 0); /* it was not enabled */
    for (unsigned i = 3; i > 0; i--) {
        host_pmu_switch(0, line[i]);
        GIVES(pmc_accumulate(line[i - 1], line[i]), 0);
        pmc_process_exit(line[i]);
        host_pmu_switch(0, NULL);
    }
    GIVES(value(&a, 0), 1);
    GIVES(children(&a, 0), 1110);
    GIVES(children(&a, 1), 0);
    host_pmu_switch(0, &a);
    configure(&a, 0, HOST_PMU_CYCLES, 0);
    GIVES(children(&a, 0), 0);
}

TEST(pmc_accumulate_adds_like_to_like)
{
    start(48, false, false);
    GIVES(pmc_accumulate(&a, &b), 0); /* neither counts */
    configure(&a, 0, HOST_PMU_CYCLES, 0);
    GIVES(pmc_accumulate(&a, &b), 0);
    GIVES(pmc_accumulate(&b, &a), 0);
    configure(&b, 0, HOST_PMU_INSTRUCTIONS, 0);
    host_pmu_switch(0, &b);
    host_pmu_count(0, 0, 5);
    GIVES(pmc_accumulate(&a, &b), 0);
    GIVES(children(&a, 0), 0);
    configure(&b, 0, HOST_PMU_CYCLES, PMC_MODE_ALL);
    host_pmu_count(0, 0, 5);
    GIVES(pmc_accumulate(&a, &b), 0);
    GIVES(children(&a, 0), 5);
}

TEST(pmc_nobody_counts_nothing_runs)
{
    struct pmc_counter_cfg kernel = {HOST_PMU_CYCLES, 0, 0};

    start(32, true, true);
    CHECK(!host_pmu_active(0));
    configure(&a, 0, HOST_PMU_CYCLES, 0);
    CHECK(host_pmu_active(0) && host_pmu_active(3));
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        host_pmu_switch(cpu, &a);
        host_pmu_switch(cpu, NULL);
        host_pmu_tick(cpu);
    }
    CHECK(host_pmu_running(0, 0) && host_pmu_running(1, 0)); /* it may come back */
    GIVES(pmc_disable_counter(&a, 0), 0);
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        host_pmu_tick(cpu);
        CHECK(!host_pmu_running(cpu, 0) && host_pmu_active(cpu));
    }
    pmc_process_exit(&a);
    host_pmu_tick(1);
    CHECK(!host_pmu_active(1) && host_pmu_active(0));
    GIVES(pmc_alloc_kernel_counter(0, &kernel), 0);
    CHECK(host_pmu_active(1) && host_pmu_running(1, 0));
    GIVES(pmc_free_kernel_counter(0), 0);
    CHECK(!host_pmu_running(1, 0));
}
