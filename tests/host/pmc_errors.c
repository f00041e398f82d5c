/* SPDX-License-Identifier: BSD-2-Clause */
/* pmc(9): each refusal, by number, and that what is refused leaves nothing half done. */
#include <sys/pmc.h>

#include "lib/errno.h"
#include "tests/host/pmc_check.h"

#include <quipu_host.h>
#include <stddef.h>

static struct lwp thread;

static void start(bool interrupts)
{
    host_pmu_attach(&(struct host_pmu){.counters = 2, .width = 32, .interrupts = interrupts});
    thread = (struct lwp){0};
    host_pmu_switch(0, &thread);
}

static struct pmc_counter_cfg cfg(pmc_evid_t event, pmc_ctr_t period, uint32_t flags)
{
    return (struct pmc_counter_cfg){event, period, flags};
}

static int configure(int ctr, pmc_evid_t event, pmc_ctr_t period, uint32_t flags)
{
    struct pmc_counter_cfg c = cfg(event, period, flags);

    return pmc_configure_counter(&thread, ctr, &c);
}

static int take(int ctr, pmc_evid_t event, pmc_ctr_t period)
{
    struct pmc_counter_cfg c = cfg(event, period, 0);

    return pmc_alloc_kernel_counter(ctr, &c);
}

static int profile(int ctr, pmc_evid_t event, pmc_ctr_t period)
{
    struct pmc_counter_cfg c = cfg(event, period, 0);

    return pmc_start_profiling(ctr, &c);
}

TEST(pmc_without_counters)
{
    struct pmc_counter_cfg c = cfg(HOST_PMU_CYCLES, 0, 0);
    int number = 7;

    host_pmu_detach();
    GIVES(pmc_get_num_counters(), 0);
    CHECK(pmc_get_counter_type(-1) == PMC_TYPE_NONE);
    CHECK(pmc_get_counter_type(0) == -1);
    GIVES(pmc_configure_counter(&thread, 0, &c), EINVAL);
    GIVES(pmc_control(0, PMC_OP_CONFIGURE, &c), ENXIO);
    GIVES(pmc_get_info(0, PMC_INFO_NCOUNTERS, &number), ENXIO);
    GIVES(PMC_ENABLED(&thread), 0);
}

/* A program that knows <sys/pmc.h> and host_pmu_count only. */
TEST(pmc_counts_from_the_start)
{
    struct pmc_counter_cfg c = cfg(HOST_PMU_CYCLES, 0, 0);
    uint64_t value = 0;

    for (unsigned life = 0; life < 2; life++) {
        CHECK(pmc_get_num_counters() > 0);
        GIVES(pmc_configure_counter(curlwp, 0, &c), 0);
        GIVES(pmc_enable_counter(curlwp, 0), 0);
        host_pmu_count(0, 0, 1000);
        GIVES(pmc_get_counter_value(curlwp, 0, 0, &value), 0);
        GIVES(value, 1000);
        host_reset();
    }
}

TEST(pmc_no_such_counter)
{
    static const int wrong[] = {-2, -1, 2, 16, 1 << 30};
    uint64_t value;

    start(true);
    GIVES(pmc_get_num_counters(), 2);
    CHECK(pmc_get_counter_type(-1) == PMC_TYPE_FAKE && pmc_get_counter_type(1) == PMC_TYPE_FAKE);
    CHECK(pmc_get_counter_type(2) == -1);
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int ctr = wrong[i];

        GIVES(configure(ctr, HOST_PMU_CYCLES, 0, 0), EINVAL);
        GIVES(pmc_enable_counter(&thread, ctr), EINVAL);
        GIVES(pmc_disable_counter(&thread, ctr), EINVAL);
        CHECK(pmc_counter_isrunning(&thread, ctr) == -1);
        CHECK(pmc_counter_isconfigured(&thread, ctr) == -1);
        GIVES(pmc_get_counter_value(&thread, ctr, 0, &value), EINVAL);
        GIVES(pmc_get_counter_value(NULL, ctr, 0, &value), EINVAL);
        GIVES(take(ctr, HOST_PMU_CYCLES, 0), EINVAL);
        GIVES(pmc_free_kernel_counter(ctr), EINVAL);
        GIVES(profile(ctr, HOST_PMU_CYCLES, 100), EINVAL);
        GIVES(pmc_stop_profiling(ctr), EINVAL);
        GIVES(pmc_release_counter(&thread, ctr), EINVAL);
        GIVES(pmc_control(ctr, PMC_OP_START, NULL), EINVAL);
        GIVES(pmc_get_info(ctr, PMC_INFO_COUNTER_VALUE, &value), EINVAL);
    }
    GIVES(PMC_ENABLED(&thread), 0);
}

TEST(pmc_nowhere_to_store_a_value)
{
    start(true);
    GIVES(configure(0, HOST_PMU_CYCLES, 0, 0), 0);
    GIVES(pmc_enable_counter(&thread, 0), 0);
    GIVES(pmc_get_counter_value(&thread, 0, 0, NULL), EINVAL);
    host_pmu_switch(0, NULL);
    host_pmu_attach(&(struct host_pmu){.counters = 2, .width = 32, .swaps = true});
    host_pmu_switch(0, &thread);
    GIVES(configure(0, HOST_PMU_CYCLES, 0, 0), 0);
    GIVES(pmc_enable_counter(&thread, 0), 0);
    CHECK(thread.l_pmc_plan != 0);
    GIVES(pmc_get_counter_value(&thread, 0, 0, NULL), EINVAL);
}

TEST(pmc_impossible_events)
{
    start(false);
    GIVES(configure(0, 0xdead, 0, 0), ENODEV);
    GIVES(configure(0, HOST_PMU_UNSUPPORTED, 0, 0), ENODEV);
    GIVES(configure(1, HOST_PMU_LOADS, 0, 0), ENODEV);
    GIVES(configure(0, HOST_PMU_CYCLES, 0, 16), EINVAL);
    GIVES(configure(0, HOST_PMU_CYCLES, 100, 0), ENODEV); /* nobody tells of overflows */
    GIVES(pmc_configure_counter(&thread, 0, NULL), EINVAL);
    GIVES(take(1, HOST_PMU_LOADS, 0), ENODEV);
    GIVES(PMC_ENABLED(&thread), 0);
    CHECK(thread.l_pmc == NULL && !host_pmu_active(0));
    GIVES(host_pmu_writes(), 0);
    GIVES(configure(0, HOST_PMU_LOADS, 0, PMC_MODE_U), 0);
}

TEST(pmc_kernel_goes_first)
{
    start(true);
    GIVES(take(0, HOST_PMU_CYCLES, 0), 0);
    GIVES(take(0, HOST_PMU_CYCLES, 0), EBUSY);
    GIVES(profile(0, HOST_PMU_CYCLES, 10), EBUSY);
    GIVES(configure(0, HOST_PMU_CYCLES, 0, 0), EBUSY);
    GIVES(pmc_enable_counter(&thread, 0), EBUSY);
    GIVES(pmc_disable_counter(&thread, 0), EBUSY);
    CHECK(pmc_counter_isrunning(&thread, 0) == 1 && pmc_counter_isconfigured(&thread, 0) == 1);
    CHECK(pmc_counter_isrunning(&thread, 1) == 0 && pmc_counter_isconfigured(&thread, 1) == 0);
    GIVES(PMC_ENABLED(&thread), 1);
    GIVES(pmc_stop_profiling(0), 0); /* it is not profiled: nothing happens */
    CHECK(pmc_counter_isrunning(&thread, 0) == 1);
    GIVES(pmc_free_kernel_counter(0), 0);
    GIVES(pmc_free_kernel_counter(0), ENXIO);
    GIVES(PMC_ENABLED(&thread), 0);
    GIVES(configure(0, HOST_PMU_CYCLES, 0, 0), 0);
    GIVES(take(0, HOST_PMU_CYCLES, 0), EBUSY); /* configured is enough */
    GIVES(profile(0, HOST_PMU_CYCLES, 10), EBUSY);
    GIVES(pmc_release_counter(&thread, 0), 0);
    GIVES(profile(0, HOST_PMU_CYCLES, 0), EINVAL);
    GIVES(profile(0, HOST_PMU_CYCLES, 10), 0);
    GIVES(pmc_free_kernel_counter(0), EBUSY);
    GIVES(pmc_stop_profiling(0), 0);
    GIVES(pmc_stop_profiling(0), 0);
    GIVES(PMC_ENABLED(&thread), 0);
}

TEST(pmc_several_begin_together_or_none)
{
    uint64_t value = 0;

    start(false);
    GIVES(pmc_enable_counters(&thread, 0, true), 0);
    GIVES(pmc_enable_counters(&thread, 4, true), EINVAL);
    GIVES(pmc_enable_counters(&thread, 1, true), ENXIO);
    GIVES(configure(0, HOST_PMU_CYCLES, 0, 0), 0);
    GIVES(pmc_enable_counters(&thread, 3, true), ENXIO);
    GIVES(pmc_counter_isrunning(&thread, 0), 0);
    GIVES(configure(1, HOST_PMU_CYCLES, 0, 0), 0);
    GIVES(pmc_enable_counters(&thread, 3, true), 0);
    GIVES(pmc_enable_counters(&thread, 3, true), 0);
    for (int ctr = 0; ctr < 2; ctr++)
        host_pmu_count(0, ctr, 5);
    GIVES(pmc_enable_counters(&thread, 2, false), 0);
    for (int ctr = 0; ctr < 2; ctr++)
        host_pmu_count(0, ctr, 7);
    GIVES(pmc_get_counter_value(&thread, 0, 0, &value), 0);
    CHECK(value == 12);
    GIVES(pmc_get_counter_value(&thread, 1, 0, &value), 0);
    CHECK(value == 5);
    GIVES(pmc_release_counter(&thread, 1), 0);
    GIVES(take(1, HOST_PMU_CYCLES, 0), 0);
    GIVES(pmc_enable_counters(&thread, 3, false), EBUSY);
    GIVES(pmc_counter_isrunning(&thread, 0), 1);
    GIVES(pmc_free_kernel_counter(1), 0);
    GIVES(pmc_release_counter(&thread, 0), 0);
}

/* A program that knows <sys/pmc.h> only takes its numbers from what `pmc list` prints. */
TEST(pmc_numbers_of_real_machines_count_too)
{
    static const pmc_evid_t known[] = {0, 1, 15, 16, 25, 31, 0x3c, 0xc0, 0xc4, 0xc5, 0x10000};
    struct lwp *l = curlwp;
    uint64_t value;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct pmc_counter_cfg c = cfg(known[i], 0, 0);

        GIVES(pmc_configure_counter(l, 1, &c), 0);
        GIVES(pmc_enable_counter(l, 1), 0);
        host_pmu_count(0, 1, i + 1);
        GIVES(pmc_get_counter_value(l, 1, 0, &value), 0);
        CHECK(value == i + 1);
    }
    GIVES(pmc_release_counter(l, 1), 0);
}

TEST(pmc_control_and_info)
{
    struct pmc_counter_cfg c = cfg(HOST_PMU_CYCLES, 0, 0);
    uint64_t value = 1;
    int number = 0;

    start(true);
    GIVES(pmc_control(0, PMC_OP_START, NULL), ENXIO);
    GIVES(pmc_control(0, PMC_OP_STOP, NULL), ENXIO);
    GIVES(pmc_get_info(0, PMC_INFO_COUNTER_VALUE, &value), ENXIO);
    GIVES(pmc_control(0, PMC_OP_CONFIGURE, NULL), EINVAL);
    GIVES(pmc_control(0, PMC_OP_CONFIGURE, &c), 0);
    GIVES(pmc_control(0, PMC_OP_STOP, NULL), 0); /* it does not run: nothing happens */
    GIVES(pmc_control(0, PMC_OP_START, NULL), 0);
    GIVES(pmc_control(0, PMC_OP_START, NULL), EINPROGRESS);
    GIVES(pmc_enable_counter(&thread, 0), 0);
    host_pmu_count(0, 0, 5);
    GIVES(pmc_get_info(0, PMC_INFO_COUNTER_VALUE, &value), 0);
    GIVES(value, 5);
    GIVES(pmc_get_info(0, PMC_INFO_ACCUMULATED_COUNTER_VALUE, &value), 0);
    GIVES(value, 0);
    GIVES(pmc_control(0, PMC_OP_CONFIGURE, &c), 0); /* stops it first */
    CHECK(pmc_counter_isrunning(&thread, 0) == 0 && !host_pmu_running(0, 0));
    GIVES(pmc_get_info(0, PMC_INFO_COUNTER_VALUE, &value), 0);
    GIVES(value, 0);
    GIVES(pmc_control(0, 0, NULL), EINVAL);
    GIVES(pmc_control(0, 6, NULL), EINVAL);
    GIVES(pmc_control(1, PMC_OP_PROFSTART, &c), EINVAL);
    c.reset_value = 10;
    GIVES(pmc_control(1, PMC_OP_PROFSTART, &c), 0);
    GIVES(pmc_control(1, PMC_OP_START, NULL), EINPROGRESS);
    GIVES(pmc_control(1, PMC_OP_PROFSTOP, NULL), 0);
    GIVES(pmc_get_info(9, PMC_INFO_NCOUNTERS, &number), 0);
    GIVES(number, 2);
    GIVES(pmc_get_info(-1, PMC_INFO_CPUCTR_TYPE, &number), 0);
    GIVES(number, PMC_TYPE_FAKE);
    GIVES(pmc_get_info(-2, PMC_INFO_CPUCTR_TYPE, &number), EINVAL);
    GIVES(pmc_get_info(0, 5, &number), EINVAL);
    GIVES(pmc_get_info(0, PMC_INFO_NCOUNTERS, NULL), EINVAL);
    GIVES(pmc_get_counter_value(&thread, 0, 2, &value), EINVAL);
    pmc_process_exit(&thread);
    GIVES(PMC_ENABLED(&thread), 0);
}

TEST(pmc_claims)
{
    struct pmc_counter_cfg c = cfg(HOST_PMU_CYCLES, 0, 0);
    struct lwp other = {0}, child = {0};

    start(true);
    GIVES(pmc_configure_counter(&thread, 1, &c), 0);
    GIVES(pmc_claim(), EBUSY);
    GIVES(pmc_release_counter(&thread, 1), 0);
    GIVES(take(0, HOST_PMU_CYCLES, 0), 0);
    GIVES(pmc_claim(), EBUSY);
    GIVES(pmc_free_kernel_counter(0), 0);
    GIVES(pmc_claim(), 0);
    GIVES(pmc_claim(), EBUSY);
    CHECK(!pmc_claimed());
    GIVES(configure(0, HOST_PMU_CYCLES, 0, 0), 0);
    GIVES(take(1, HOST_PMU_CYCLES, 0), 0);
    GIVES(pmc_free_kernel_counter(1), 0);
    child.l_pmc_claim = thread.l_pmc_claim; /* as one that it creates */
    host_pmu_switch(0, &child);
    CHECK(!pmc_claimed());
    host_pmu_switch(0, &other);
    CHECK(pmc_claimed());
    GIVES(pmc_configure_counter(&other, 1, &c), EBUSY);
    GIVES(take(1, HOST_PMU_CYCLES, 0), EBUSY);
    GIVES(profile(1, HOST_PMU_CYCLES, 100), EBUSY);
    CHECK(other.l_pmc == NULL || !pmc_counter_isconfigured(&other, 1));
    host_pmu_switch(0, &thread);
    GIVES(pmc_release_counter(&thread, 0), 0);
    pmc_unclaim();
    host_pmu_switch(0, &other);
    CHECK(!pmc_claimed());
    GIVES(take(1, HOST_PMU_CYCLES, 0), 0);
    GIVES(pmc_free_kernel_counter(1), 0);
    host_pmu_switch(0, NULL);
}
