/* SPDX-License-Identifier: BSD-2-Clause */
/* pmc(9): what another CPU does in the middle of a call. */
#include <sys/pmc.h>

#include "lib/errno.h"
#include "stats/pmc/pmc_private.h"
#include "tests/host/between.h"
#include "tests/host/pmc_check.h"

#include <quipu_host.h>
#include <stddef.h>

uintptr_t __real_pmc_port_interrupts_save(void);
uintptr_t __wrap_pmc_port_interrupts_save(void);

static struct lwp a, b;
static struct pmc_counter_cfg cycles = {HOST_PMU_CYCLES, 0, 0};
static int result;
static __thread void (*before)(void);

void before_interrupts_off(void (*what)(void))
{
    before = what;
}

uintptr_t __wrap_pmc_port_interrupts_save(void)
{
    void (*hook)(void) = before;

    before = NULL;
    if (hook != NULL)
        hook();
    return __real_pmc_port_interrupts_save();
}

static void start(void)
{
    host_pmu_attach(&(struct host_pmu){.counters = 4, .width = 32, .interrupts = true});
    a = b = (struct lwp){0};
    result = -1;
}

static void begin(struct lwp *l, int ctr)
{
    GIVES(pmc_configure_counter(l, ctr, &cycles), 0);
    GIVES(pmc_enable_counter(l, ctr), 0);
}

static void kernel_takes(void)
{
    result = pmc_alloc_kernel_counter(0, &cycles);
}

/* B, which runs on CPU 1, gives its counter up; the kernel wants it at once. Whoever gets it, it
 * counts. */
static void give_up(unsigned from_cpu, int others)
{
    uint64_t value;

    start();
    host_pmu_switch(1, &b);
    host_cpu_set(from_cpu);
    begin(&b, 0);
    for (int ctr = 1; ctr <= others; ctr++)
        begin(&b, ctr);
    host_pmu_count(1, 0, 5);
    between_locks(kernel_takes);
    GIVES(pmc_release_counter(&b, 0), 0);
    GIVES(result, EBUSY);
    GIVES(pmc_alloc_kernel_counter(0, &cycles), 0);
    host_pmu_count(1, 0, 10);
    host_pmu_switch(1, &a);
    host_pmu_switch(1, &b);
    host_pmu_tick(1);
    host_pmu_count(1, 0, 1000);
    CHECK(host_pmu_running(1, 0));
    GIVES(pmc_get_counter_value(NULL, 0, 0, &value), 0);
    GIVES(value, 1010);
    GIVES(pmc_free_kernel_counter(0), 0);
    for (int ctr = 1; ctr <= others; ctr++)
        GIVES(pmc_release_counter(&b, ctr), 0);
    host_cpu_set(0);
}

TEST(pmc_a_released_counter_is_the_kernels_only_when_it_stands_still)
{
    give_up(0, 0);
    host_reset();
    give_up(0, 2);
}

TEST(pmc_a_threads_own_released_counter_too)
{
    give_up(1, 0); /* its last */
    CHECK(b.l_pmc == NULL);
    host_reset();
    give_up(1, 2);
    CHECK(b.l_pmc == NULL);
}

static void machine_is_claimed(void)
{
    result = pmc_claim();
    if (result == 0)
        pmc_unclaim();
}

/* A has the counter still. */
TEST(pmc_a_claim_is_refused_while_one_of_two_gives_a_counter_up)
{
    start();
    host_pmu_switch(0, &a);
    host_pmu_switch(1, &b);
    begin(&a, 0);
    begin(&b, 0);
    between_locks(machine_is_claimed);
    GIVES(pmc_release_counter(&b, 0), 0);
    GIVES(result, EBUSY);
    GIVES(pmc_claim(), EBUSY);
    GIVES(pmc_release_counter(&a, 0), 0);
    GIVES(pmc_claim(), 0);
    pmc_unclaim();
}

static void configure_again(void)
{
    begin(&b, 0);
}

TEST(pmc_configured_while_it_is_released)
{
    struct pmc_counter_cfg cfg;

    start();
    host_pmu_switch(1, &b);
    begin(&b, 0);
    between_locks(configure_again);
    GIVES(pmc_release_counter(&b, 0), 0);
    GIVES(pmc_get_config(&b, 0, &cfg), 0);
    GIVES(pmc_alloc_kernel_counter(0, &cycles), EBUSY);
    GIVES(pmc_release_counter(&b, 0), 0);
    GIVES(pmc_alloc_kernel_counter(0, &cycles), 0);
    GIVES(pmc_free_kernel_counter(0), 0);
}

static void a_ends_on_cpu_1(void)
{
    host_cpu_set(1);
    result = pmc_release_counter(&a, 0);
    host_cpu_set(0);
}

TEST(pmc_a_parent_stops_counting_while_its_child_ends)
{
    start();
    host_pmu_switch(1, &a);
    begin(&a, 0);
    GIVES(pmc_fork(&a, &b), 0);
    host_pmu_switch(0, &b);
    host_pmu_count(0, 0, 7);
    before_interrupts_off(a_ends_on_cpu_1);
    GIVES(pmc_accumulate(&a, &b), 0);
    GIVES(result, 0);
    CHECK(a.l_pmc == NULL);
    pmc_process_exit(&b);
}

/* Every way in for another's counter, while that one gives its state up. */
TEST(pmc_a_thread_stops_counting_while_another_reads_it)
{
    uint64_t value;

    start();
    host_pmu_switch(1, &a);
    begin(&a, 0);
    before_interrupts_off(a_ends_on_cpu_1);
    GIVES(pmc_get_counter_value(&a, 0, 0, &value), ENXIO);
    GIVES(result, 0);
    begin(&a, 0);
    before_interrupts_off(a_ends_on_cpu_1);
    GIVES(pmc_get_overflows(&a, 0, &value), ENXIO);
    begin(&a, 0);
    before_interrupts_off(a_ends_on_cpu_1);
    GIVES(pmc_disable_counter(&a, 0), 0);
    begin(&a, 0);
    between_locks(a_ends_on_cpu_1);
    GIVES(pmc_release_counter(&a, 0), 0);
    CHECK(a.l_pmc == NULL);
    GIVES(pmc_alloc_kernel_counter(0, &cycles), 0);
    GIVES(pmc_free_kernel_counter(0), 0);
}

static void read_it(void)
{
    uint64_t value;

    result = pmc_get_counter_value(NULL, 0, 0, &value);
}

/* Another CPU gives the caller's own counter a period, the moment before interrupts go off. */
static void gets_a_period(void)
{
    struct pmc_counter_cfg periodic = {HOST_PMU_CYCLES, 100, 0};

    host_cpu_set(0);
    GIVES(pmc_configure_counter(&b, 0, &periodic), 0);
    GIVES(pmc_enable_counter(&b, 0), 0);
    host_cpu_set(1);
    host_pmu_count(1, 0, 150);
}

TEST(pmc_a_running_counter_gets_a_period_while_it_is_read)
{
    uint64_t value;

    start();
    host_pmu_attach(&(struct host_pmu){.counters = 2,
                                       .width = 32,
                                       .at_half = true,
                                       .interrupts = true,
                                       .reloads = true,
                                       .keeps = true,
                                       .swaps = true});
    host_pmu_switch(1, &b);
    host_cpu_set(1);
    begin(&b, 0);
    CHECK(b.l_pmc_plan != 0);
    before_interrupts_off(gets_a_period);
    GIVES(pmc_get_counter_value(&b, 0, 0, &value), 0);
    GIVES(value, 150);
    GIVES(pmc_release_counter(&b, 0), 0);
    host_cpu_set(0);
}

TEST(pmc_a_kernel_counter_is_read_before_it_begins)
{
    start();
    between_locks(read_it);
    GIVES(pmc_alloc_kernel_counter(0, &cycles), 0);
    GIVES(result, ENXIO);
    read_it();
    GIVES(result, 0);
    GIVES(pmc_free_kernel_counter(0), 0);
}

static void kernel_gives(void)
{
    result = pmc_free_kernel_counter(0);
}

static void profile_ends(void)
{
    result = pmc_stop_profiling(0);
}

/* Whether it can still be had, counts, and leaves nothing behind. */
static void check_usable(void)
{
    uint64_t value;

    begin(&b, 0);
    host_pmu_switch(1, &b);
    host_pmu_count(1, 0, 5);
    GIVES(pmc_get_counter_value(&b, 0, 0, &value), 0);
    GIVES(value, 5);
    GIVES(pmc_release_counter(&b, 0), 0);
    host_cpu_set(1);
    GIVES(pmc_release_counter(&b, 0), 0); /* its own, so that its state goes too */
    host_cpu_set(0);
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        host_pmu_tick(cpu);
        CHECK(!host_pmu_active(cpu) && !host_pmu_running(cpu, 0));
    }
}

/* As soon as the kernel has it, which is not yet so when the call has only looked. */
static void kernel_gives_what_it_has(void)
{
    if (pmc_system.kernel_mask == 0)
        between_locks(kernel_gives_what_it_has);
    else
        kernel_gives();
}

TEST(pmc_a_kernel_counter_is_freed_before_it_begins)
{
    start();
    between_locks(kernel_gives_what_it_has);
    GIVES(pmc_alloc_kernel_counter(0, &cycles), 0);
    GIVES(result, EBUSY);
    GIVES(pmc_free_kernel_counter(0), 0);
    check_usable();
}

TEST(pmc_a_kernel_counter_is_freed_twice_at_once)
{
    start();
    GIVES(pmc_alloc_kernel_counter(0, &cycles), 0);
    between_locks(kernel_gives);
    GIVES(pmc_free_kernel_counter(0), 0);
    GIVES(result, EBUSY);
    GIVES(pmc_free_kernel_counter(0), ENXIO);
    check_usable();
}

TEST(pmc_a_profile_is_stopped_twice_at_once)
{
    struct pmc_counter_cfg cfg = {HOST_PMU_CYCLES, 100, 0};

    start();
    GIVES(pmc_start_profiling(0, &cfg), 0);
    between_locks(profile_ends);
    GIVES(pmc_stop_profiling(0), 0);
    GIVES(result, 0);
    check_usable();
}
