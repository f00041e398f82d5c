/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of the hardware's counters: code of which every event is known counts exactly that, in
 * every mode. Skipped without a hardware PMU.
 */
#include <arch/interrupt_flag.h>
#include "tests/kernel/selftest.h"
#include "tests/kernel/pmu_measure.h"

#define NEEDS_PMU                                                                                  \
    do {                                                                                           \
        if (!pmu_hardware())                                                                       \
            return selftest_skip("no hardware PMU");                                               \
    } while (0)

static const uint64_t turns[] = {1, 2, 10, 1000, 12345};
#define TURNS (sizeof turns / sizeof turns[0])

/* One of them must be undisturbed: a busy host disturbs several in a row. */
#define ROUNDS 16

static const struct pmu_event_at user_instructions = {CODE_INSTRUCTIONS, ON_INSTRUCTIONS,
                                                      PMC_MODE_U};
static const struct pmu_event_at kernel_instructions = {CODE_INSTRUCTIONS, ON_INSTRUCTIONS,
                                                        PMC_MODE_K};

static int check_user_loops(enum user_mode mode, struct pmu_event_at what)
{
    for (unsigned i = 0; i < TURNS; i++)
        SELFTEST_EQUAL(pmu_measure_user(what, mode, turns[i]),
                       CODE_USER_STUB + CODE_LOOP_TURN * turns[i] + CODE_LOOP_MORE);
    return 0;
}

SELFTEST_COUNTERS_ONE_CPU(pmu_user, "pmu-user", "instructions of a loop in user mode count exactly")
{
    int result;

    NEEDS_PMU;
    SELFTEST_CHECK(pmu_code_user_prepare(&pmu_code_loop, 0) == 0);
    result = check_user_loops(USER_MODE_USER, user_instructions);
    pmu_code_user_done();
    return result;
}

static void run_loop(uint64_t n)
{
    pmu_code_kernel(&pmu_code_loop, n);
}

static void run_empty(uint64_t n)
{
    pmu_code_kernel(&pmu_code_empty, n);
}

SELFTEST_COUNTERS_ONE_CPU(pmu_kernel, "pmu-kernel",
                          "instructions of a loop in the kernel count exactly")
{
    uint64_t around;

    NEEDS_PMU;
    around = pmu_measure(kernel_instructions, run_empty, 0) - CODE_EMPTY;
    for (unsigned i = 0; i < TURNS; i++)
        SELFTEST_EQUAL(pmu_measure(kernel_instructions, run_loop, turns[i]) - around,
                       CODE_LOOP_TURN * turns[i] + CODE_LOOP_MORE);
    return 0;
}

/* All that branch on the PC, the conditional ones on an R10000. */
SELFTEST_COUNTERS_ONE_CPU(pmu_branches, "pmu-branches", "branches of a loop count exactly")
{
    const struct pmu_event_at branches = {CODE_BRANCHES, ON_BRANCHES, PMC_MODE_U};
    uint64_t few, many;

    NEEDS_PMU;
    SELFTEST_CHECK(pmu_code_user_prepare(&pmu_code_loop, 0) == 0);
    few = pmu_measure_user(branches, USER_MODE_USER, 10);
    many = pmu_measure_user(branches, USER_MODE_USER, 1010);
    pmu_code_user_done();
    SELFTEST_EQUAL(few, 10 + MORE_BRANCHES);
    SELFTEST_EQUAL(many - few, 1000);
    return 0;
}

/* What each single mode counts of code that goes through all of them. What waits for the interrupts
 * makes the kernel's way longer, and is the same for all that is measured here. */
static int measure_modes(uint64_t *sum, uint64_t *all)
{
    struct pmu_event_at what = {CODE_INSTRUCTIONS, ON_INSTRUCTIONS, PMC_MODE_ALL};
    uint64_t one;

    pmu_code_user(USER_MODE_USER, 100); /* leaves nothing to be made (translations) */
    *all = pmu_measure_user(what, USER_MODE_USER, 100);
    *sum = 0;
    for (unsigned mode = 0; mode < 4; mode++) {
        what.modes = 1u << mode;
        if (!(pmu_hardware()->modes & what.modes))
            continue;
        one = pmu_measure_user(what, USER_MODE_USER, 100);
        if (one == 0 && what.modes != PMC_MODE_S)
            return selftest_fail("mode %u counts nothing", what.modes);
        *sum += one;
    }
    return 0;
}

/* Where the plugin wants an access of a register again (docs/QPMU.md), that is counted, too: a
 * round in which that happens proves nothing. */
static int check_sum(void)
{
    uint64_t sum = 0, all = 1;
    int result = 0;

    for (unsigned round = 0; round < ROUNDS && sum != all && result == 0; round++) {
        uintptr_t state = interrupts_save();

        result = measure_modes(&sum, &all);
        interrupts_restore(state);
    }
    if (result == 0)
        SELFTEST_EQUAL(sum, all);
    return result;
}

SELFTEST_COUNTERS_ONE_CPU(pmu_modes, "pmu-modes", "the modes' counts add up to that of all modes")
{
    int result;

    NEEDS_PMU;
    SELFTEST_CHECK(pmu_code_user_prepare(&pmu_code_loop, 0) == 0);
    result = check_sum();
    pmu_code_user_done();
    return result;
}

#ifdef __mips__

SELFTEST_COUNTERS_ONE_CPU(pmu_supervisor, "pmu-supervisor",
                          "supervisor mode counts under S and not under U or K")
{
    struct pmu_event_at what = {CODE_INSTRUCTIONS, ON_INSTRUCTIONS, PMC_MODE_S};
    uint64_t user;
    int result;

    NEEDS_PMU;
    SELFTEST_CHECK(pmu_code_user_prepare(&pmu_code_loop, 0) == 0);
    result = check_user_loops(USER_MODE_SUPERVISOR, what);
    what.modes = PMC_MODE_U;
    user = pmu_measure_user(what, USER_MODE_SUPERVISOR, 100);
    pmu_code_user_done();
    if (result == 0)
        SELFTEST_EQUAL(user, 0);
    return result;
}

SELFTEST_COUNTERS_ONE_CPU(pmu_memory, "pmu-memory", "loads and stores of a loop count exactly")
{
    const struct pmu_event_at loads = {CODE_LOADS, ON_LOADS, PMC_MODE_U};
    const struct pmu_event_at stores = {CODE_STORES, ON_LOADS, PMC_MODE_U};
    uint64_t loaded, stored;

    NEEDS_PMU;
    SELFTEST_CHECK(pmu_code_user_prepare(&pmu_code_memory, 1000) == 0);
    loaded = pmu_measure_user(loads, USER_MODE_USER, USER_DATA);
    stored = pmu_measure_user(stores, USER_MODE_USER, USER_DATA);
    pmu_code_user_done();
    SELFTEST_EQUAL(loaded, 1 + 2 * 1000);
    SELFTEST_EQUAL(stored, 1000);
    return 0;
}

/* Misses of the data cache in PASSES over BYTES. The same run just before, interrupts off, leaves
 * the cache the same for every number. */
static uint64_t misses_of(uint64_t bytes, uint64_t passes)
{
    const struct pmu_event_at misses = {CODE_L1D_MISSES, ON_LOADS, PMC_MODE_U};
    volatile uint64_t *data = pmu_code_user_data();
    uintptr_t state = interrupts_save();
    uint64_t result;

    *data = 1;
    pmu_measure_user(misses, USER_MODE_USER, bytes);
    *data = passes;
    result = pmu_measure_user(misses, USER_MODE_USER, bytes);
    interrupts_restore(state);
    return result;
}

SELFTEST_COUNTERS_ONE_CPU(
    pmu_cache, "pmu-cache",
    "a walk over 64 KiB misses the data cache at each line, one over 16 KiB never")
{
    uint64_t large, small;

    NEEDS_PMU;
    SELFTEST_CHECK(pmu_code_user_prepare(&pmu_code_walk, 1) == 0);
    large = misses_of(65536, 11) - misses_of(65536, 1);
    small = misses_of(16384, 11) - misses_of(16384, 1);
    pmu_code_user_done();
    SELFTEST_EQUAL(large, 10 * 2048);
    SELFTEST_EQUAL(small, 0);
    return 0;
}

#else

SELFTEST_COUNTERS_ONE_CPU(pmu_string, "pmu-string",
                          "a repeated string instruction is one, whatever it repeats")
{
    static const uint64_t bytes[] = {0, 1, 2, 1000, 30000};

    NEEDS_PMU;
    for (unsigned i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
        uint64_t counted;

        SELFTEST_CHECK(pmu_code_user_prepare(&pmu_code_string, bytes[i]) == 0);
        counted = pmu_measure_user(user_instructions, USER_MODE_USER, USER_DATA);
        pmu_code_user_done();
        SELFTEST_EQUAL(counted, CODE_USER_STUB + CODE_STRING);
    }
    return 0;
}

#endif
