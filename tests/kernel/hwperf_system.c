/* SPDX-License-Identifier: BSD-2-Clause */
/* System mode: whose it is, who is told, how often it changed, and sums over CPUs, worked by hand.
 */
#include "kernel/cpu/cpu.h"
#include "kernel/hwperf/hwperf_cpu.h"
#include "kernel/hwperf/hwperf_system.h"
#include "lib/errno.h"
#include "tests/kernel/hwperf_spec.h"
#include "tests/kernel/selftest.h"

#define FOR       7u /* processes' numbers that nobody has meanwhile */
#define TOLD      9u
#define TOLD_NEXT 8u
#define NOBODY    5u

static struct hwperf_control control;
static struct hwperf_facts facts, one;
static uint64_t counts[HWPERF_EVENTS];

static int hwperf_system_changes(void)
{
    uint32_t begin = hwperf_system_generation();

    SELFTEST_EQUAL(hwperf_system_begin(&control, false, FOR, TOLD), 0);
    SELFTEST_EQUAL(hwperf_system_generation(), begin + 1);
    SELFTEST_EQUAL(hwperf_system_begin(&control, false, NOBODY, NOBODY), EBUSY);
    SELFTEST_EQUAL(hwperf_system_process(), FOR);
    SELFTEST_EQUAL(hwperf_plan.told, TOLD);
    SELFTEST_EQUAL(hwperf_system_set(&control, TOLD_NEXT), 0);
    SELFTEST_EQUAL(hwperf_system_generation(), begin + 2);
    SELFTEST_EQUAL(hwperf_plan.told, TOLD_NEXT);
    hwperf_system_forget(NOBODY);
    SELFTEST_EQUAL(hwperf_plan.told, TOLD_NEXT);
    hwperf_system_forget(TOLD_NEXT);
    SELFTEST_EQUAL(hwperf_plan.told, 0);
    SELFTEST_CHECK(hwperf_system_is_on());
    return 0;
}

/* CPU C has counted 100 C + I + 1 of event I, and passed I thresholds; 5 + C turns. */
static void hwperf_system_fill(void)
{
    for (unsigned c = 0; c < cpu_count(); c++) {
        struct hwperf_cpu *cpu = hwperf_cpu_of(c);

        cpu->rotations = 5 + c;
        for (unsigned i = 0; i < HWPERF_EVENTS; i++) {
            cpu->count[i] = 100 * c + i + 1;
            cpu->overflows[i] = i;
        }
    }
}

static int hwperf_system_sums(void)
{
    uint64_t n = cpu_count(), before = n * (n - 1) / 2; /* 0 + 1 + ... of its CPUs */

    hwperf_system_read(counts);
    hwperf_system_facts(&facts);
    SELFTEST_EQUAL(facts.rotations, 5 * n + before);
    SELFTEST_EQUAL(facts.overflows, n * HWPERF_EVENTS * (HWPERF_EVENTS - 1) / 2);
    for (unsigned i = 0; i < HWPERF_EVENTS; i++)
        if (i != INSTRUCTIONS) {
            SELFTEST_EQUAL(counts[i], 100 * before + n * (i + 1));
            SELFTEST_EQUAL(facts.count[i], counts[i]);
        }
    SELFTEST_CHECK(hwperf_system_cpu_facts((unsigned)n - 1, &one));
    SELFTEST_EQUAL(one.rotations, 5 + n - 1);
    SELFTEST_CHECK(!hwperf_system_cpu_facts((unsigned)n, &one));
    return 0;
}

SELFTEST_COUNTERS(hwperf_system, "hwperf-system", "counters of the whole system: who, and sums")
{
    int result;

    hwperf_boot();
    if (hwperf_counter(0) < 0 || !hwperf_event_name(INSTRUCTIONS))
        return selftest_skip("no counter counts instructions here");
    control.spec[INSTRUCTIONS] = hwperf_spec_of(INSTRUCTIONS); /* and no other */
    mutex_enter(&hwperf_lock);
    result = hwperf_system_changes();
    hwperf_system_fill();
    hwperf_system_forget(FOR);
    if (result == 0 && (hwperf_system_is_on() || hwperf_system_process() != 0))
        result = selftest_fail("the process that it is for has ended, and it is still on");
    hwperf_system_end();
    if (result == 0)
        result = hwperf_system_sums();
    mutex_exit(&hwperf_lock);
    return result;
}
