/* SPDX-License-Identifier: BSD-2-Clause */
/* See hwperf_system.h. */
#include "kernel/hwperf/hwperf_system.h"
#include "kernel/cpu/cpu.h"
#include "kernel/hwperf/hwperf_cpu.h"
#include "lib/errno.h"
#include "lib/section.h"
#include "lib/string.h"

#define ALL_SIDES ((1u << HWPERF_SIDES) - 1)

/* All under hwperf_lock. */
static struct {
    uint32_t generation, process;
} hwperf_system = {.generation = 1};

static struct hwperf_cpu hwperf_copies[CPU_MAX] SHARED_BSS; /* the CPUs' as last read */

static int hwperf_system_take(const struct hwperf_control *control, bool force, bool anew)
{
    struct pmc_counter_cfg cfgs[HWPERF_SIDES];
    int error;

    hwperf_plan.control = *control;
    hwperf_slices_make(&hwperf_plan.slices, control);
    for (unsigned side = 0; side < HWPERF_SIDES; side++)
        cfgs[side] = hwperf_cpu_first(side);
    hwperf_cpus_prepare(anew);
    error = pmc_take(&hwperf_system_owner, hwperf_counters(ALL_SIDES), cfgs,
                     force ? PMU_BY_FORCE : PMU_IF_IDLE, NULL);
    if (error != 0)
        return error;
    hwperf_system.generation++;
    hwperf_plan.on = true;
    return 0;
}

int hwperf_system_begin(const struct hwperf_control *control, bool force, uint32_t id,
                        uint32_t told)
{
    int error;

    if (hwperf_plan.on)
        return EBUSY;
    hwperf_plan.told = told;
    error = hwperf_system_take(control, force, true);
    if (error != 0)
        return error;
    hwperf_system.process = id;
    hwperf_blocks_lose();
    return 0;
}

/* The counters stop at one moment on each CPU, and are given back. */
static void hwperf_system_give(void)
{
    hwperf_plan.on = false;
    hwperf_cpus_stop();
    hwperf_cpus_read(hwperf_copies);
    for (unsigned side = 0; side < HWPERF_SIDES; side++)
        (void)pmc_give(&hwperf_system_owner, hwperf_counter(side));
}

int hwperf_system_set(const struct hwperf_control *control, uint32_t told)
{
    int error;

    hwperf_system_give();
    hwperf_plan.told = told;
    error = hwperf_system_take(control, true, false);
    if (error != 0)
        hwperf_system.process = 0; /* it is over: somebody of a higher rank has the counters */
    return error;
}

void hwperf_system_end(void)
{
    if (hwperf_plan.on)
        hwperf_system_give();
    hwperf_system.process = 0;
}

void hwperf_system_forget(uint32_t id)
{
    if (hwperf_system.process == id)
        hwperf_system_end(); /* nobody else could give it back */
    if (hwperf_plan.told == id)
        hwperf_plan.told = 0;
}

bool hwperf_system_is_on(void)
{
    return hwperf_plan.on;
}

uint32_t hwperf_system_process(void)
{
    return hwperf_system.process;
}

uint32_t hwperf_system_generation(void)
{
    return hwperf_system.generation;
}

const struct hwperf_control *hwperf_system_control(void)
{
    return &hwperf_plan.control;
}

static void hwperf_system_refresh(void)
{
    if (hwperf_plan.on)
        hwperf_cpus_read(hwperf_copies);
}

void hwperf_system_read(uint64_t count[HWPERF_EVENTS])
{
    memset(count, 0, HWPERF_EVENTS * sizeof *count);
    hwperf_system_refresh();
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        for (unsigned i = 0; i < HWPERF_EVENTS; i++)
            count[i] += hwperf_copies[cpu].count[i];
}

bool hwperf_system_read_cpu(unsigned cpu, uint64_t count[HWPERF_EVENTS])
{
    if (cpu >= cpu_count())
        return false;
    hwperf_system_refresh();
    memcpy(count, hwperf_copies[cpu].count, HWPERF_EVENTS * sizeof *count);
    return true;
}

static void hwperf_facts_add(struct hwperf_facts *facts, const struct hwperf_cpu *cpu)
{
    facts->rotations += cpu->rotations;
    for (unsigned i = 0; i < HWPERF_EVENTS; i++) {
        facts->overflows += cpu->overflows[i];
        facts->count[i] += cpu->count[i];
    }
}

void hwperf_system_facts(struct hwperf_facts *facts)
{
    *facts = (struct hwperf_facts){.rotations = 0};
    hwperf_system_refresh();
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        hwperf_facts_add(facts, &hwperf_copies[cpu]);
}

bool hwperf_system_cpu_facts(unsigned cpu, struct hwperf_facts *facts)
{
    if (cpu >= cpu_count())
        return false;
    *facts = (struct hwperf_facts){.rotations = 0};
    hwperf_system_refresh();
    hwperf_facts_add(facts, &hwperf_copies[cpu]);
    return true;
}
