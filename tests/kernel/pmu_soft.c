/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of the class soft, which every machine has, and of the R10000's counters where the kernel
 * emulates them. */
#include <arch/test/provoke.h>
#include <arch/cpu.h>
#include <arch/interrupt_flag.h>
#include "kernel/cpu/cpu.h"
#include "kernel/thread/cpu_counts.h"
#include "kernel/device/late.h"
#include "kernel/pmc/pmu_mode.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "kernel/interrupt/trap.h"
#include "lib/string.h"
#include "stats/pmc/pmu_owner.h"
#include "tests/kernel/pmu_measure.h"

#define MS     1000000ull
#define SOFT   0x10000u
#define FEW    100u /* between two instructions: of pages' translations only */
#define SLEEPS 5
#define FAULTS 7

static const struct pmu_class *class_named(const char *name, int *base)
{
    const struct pmu_class *class;

    late_start();
    for (unsigned i = 0; (class = pmu_class_at(i, base)) != NULL; i++)
        if (strcmp(class->name, name) == 0)
            return class;
    return NULL;
}

static uint64_t switches(void)
{
    return cpu_current()->switches;
}

static uint64_t interrupts(void)
{
    return cpu_interrupts(cpu_current()->id);
}

static void pmu_soft_provoke(void *unused)
{
    (void)unused;
    trap_provocations[0].run();
}

static void work(void)
{
    for (unsigned i = 0; i < SLEEPS; i++)
        thread_sleep(MS);
    for (unsigned i = 0; i < FAULTS; i++)
        trap_try(pmu_soft_provoke, NULL);
}

/* What counter 0 counts of EVENT while work runs; what TRUTH (if any) moved by meanwhile. */
static uint64_t count(const struct pmu_class *class, uint32_t event, uint64_t (*truth)(void),
                      uint64_t *moved)
{
    uintptr_t state = interrupts_save();
    uint64_t before = truth ? truth() : 0, value, stopped;

    class->program(0, SOFT + event, PMC_MODE_ALL, false);
    class->write(0, 0);
    class->start(0);
    class->start(0); /* it does count */
    interrupts_restore(state);
    work();
    state = interrupts_save();
    value = class->read(0);
    *moved = truth ? truth() - before : 0;
    class->stop(0);
    stopped = class->read(0);
    class->stop(0);
    if (stopped < value || (event < 4 && stopped > value + FEW) || class->read(0) != stopped)
        value = 0; /* it went on, or has lost what it had */
    pmu_disturbed();
    interrupts_restore(state);
    return value;
}

SELFTEST_COUNTERS_ONE_CPU(pmu_soft, "pmu-soft", "the soft counters count what the kernel counts")
{
    int base;
    const struct pmu_class *class = class_named("soft", &base);
    struct pmc_counter_cfg cfg = {.event_id = SOFT};
    uint64_t value, moved;

    SELFTEST_CHECK(class && class->counters == 4);
    /* What a thread has left running here until the next tick (pmc_context.c) stops now. */
    SELFTEST_EQUAL(pmc_alloc_kernel_counter(base, &cfg), 0);
    SELFTEST_EQUAL(pmc_free_kernel_counter(base), 0);
    value = count(class, 0, switches, &moved);
    SELFTEST_EQUAL(value, moved);
    SELFTEST_CHECK(value >= SLEEPS);
    value = count(class, 1, interrupts, &moved);
    SELFTEST_EQUAL(value, moved);
    SELFTEST_CHECK(value >= 1);
    SELFTEST_EQUAL(count(class, 2, NULL, &moved), FAULTS);
    value = count(class, 3, pmu_tlb_refills, &moved);
    SELFTEST_EQUAL(value, moved);
    SELFTEST_CHECK(count(class, 4, NULL, &moved) > 0);
    return 0;
}

#ifdef __mips__

#define CYCLES_0  0u
#define REFILLS   23u
#define TURNS     200000u
#define OVERFLOW_ 0x80000000u

static uint64_t passed; /* overflows */

static void pmu_soft_take(const struct pmc_sample *sample)
{
    passed += sample->count;
}

static const struct pmu_owner sampler = {.name = "a self-test",
                                         .rank = PMU_RANK_PROFILE,
                                         .system = true,
                                         .profiles = true,
                                         .sample = pmu_soft_take};

static void spin(uint64_t turns)
{
    pmu_code_kernel(&pmu_code_loop, turns);
}

/* Cycles of user code count under U, of kernel code under K. */
static int check_modes(const struct pmu_class *class)
{
    struct pmu_event_at cycles = {CYCLES_0, 0, PMC_MODE_U};
    uintptr_t state;
    uint64_t value;

    SELFTEST_CHECK(class->capabilities & PMU_VIRTUAL);
    state = interrupts_save();
    class->program(0, cycles.code, PMC_MODE_U, false);
    class->write(0, 0);
    class->start(0);
    spin(TURNS);
    SELFTEST_EQUAL(class->read(0), 0);
    pmu_code_user(USER_MODE_USER, TURNS);
    value = class->read(0);
    SELFTEST_CHECK(value > 0);
    spin(TURNS);
    SELFTEST_EQUAL(class->read(0), value);
    class->stop(0);
    class->program(1, 16 + CYCLES_0, PMC_MODE_K, false);
    class->write(1, OVERFLOW_ - 1);
    class->start(1);
    spin(TURNS);
    SELFTEST_CHECK(class->read(1) > OVERFLOW_); /* it counts on */
    class->stop(1);
    pmu_disturbed();
    interrupts_restore(state);
    return 0;
}

static int check_period(int base)
{
    struct pmc_counter_cfg cfg = {CYCLES_0, 1000, PMC_MODE_K};
    uint64_t value = 0, before;
    int result;

    passed = 0;
    result = pmc_take(&sampler, 1u << base, &cfg, PMU_IF_FREE, NULL);
    spin(TURNS);
    thread_sleep(30 * MS); /* ticks look at it */
    before = passed;
    if (result == 0)
        result = pmc_get_counter_value(NULL, base, 0, &value);
    pmc_give(&sampler, base);
    SELFTEST_EQUAL(result, 0);
    if (before == 0 || before > value / 1000)
        return selftest_fail("%lu overflows of %lu cycles", (unsigned long)before,
                             (unsigned long)value);
    return 0;
}

SELFTEST_MEMBER(pmu_emulated, "pmu-emulated",
                "an R10000's counters, of what the kernel knows itself", true, true,
                &selftest_counters)
{
    int base, result;
    const struct pmu_class *class = class_named("r10k", &base);

    if (pmu_hardware())
        return selftest_skip("the counters here are real, or a model's");
    SELFTEST_CHECK(class);
    for (unsigned i = 0; i < class->event_count; i++)
        SELFTEST_CHECK(class->events[i].supported == (i == 0 || i == 16 || i == REFILLS));
    SELFTEST_CHECK(pmu_code_user_prepare(&pmu_code_loop, 0) == 0);
    result = check_modes(class);
    pmu_code_user_done();
    return result != 0 ? result : check_period(base);
}

#endif
