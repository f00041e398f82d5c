/* SPDX-License-Identifier: BSD-2-Clause */
/* See hwperf_system.h. */
#include "kernel/hwperf/hwperf_system.h"
#include "kernel/cpu/cpu.h"
#include "kernel/hwperf/hwperf_private.h"
#include "lib/errno.h"
#include "lib/string.h"

static const struct pmu_owner hwperf_system_owner = {
    .name = "r10k_counters of the system", .rank = PMU_RANK_MODE, .system = true};

/* All under hwperf_lock. */
static struct {
    bool on;
    uint32_t generation, process;
    struct hwperf_control control;
    int index[HWPERF_SIDES];                 /* the side's event; -1: none */
    uint64_t before[CPU_MAX][HWPERF_EVENTS]; /* until the control was last changed, or released */
} hwperf_system = {.generation = 1};

/* How side SIDE is programmed; a side without an event counts cycles that nobody looks at, so that
 * nobody else has it. */
static struct pmc_counter_cfg hwperf_side_configuration(const struct hwperf_control *control,
                                                        unsigned side, int *index)
{
    struct hwperf_turns turns;
    struct pmc_counter_cfg cfg;
    struct hwperf_control idle = {.signal = 0};
    unsigned none = side * HWPERF_SIDE_EVENTS;

    hwperf_turns_make(&turns, control);
    *index = turns.count[side] ? turns.index[side][0] : -1;
    if (*index >= 0 && hwperf_configuration(control, (unsigned)*index, &cfg)) {
        cfg.reset_value = 0;
        return cfg;
    }
    *index = -1;
    idle.spec[none] = PMC_MODE_K;
    (void)hwperf_configuration(&idle, none, &cfg);
    return cfg;
}

static bool hwperf_system_fits(const struct hwperf_control *control)
{
    struct hwperf_turns turns;

    hwperf_turns_make(&turns, control);
    return turns.count[0] <= 1 && turns.count[1] <= 1;
}

static int hwperf_system_take(const struct hwperf_control *control, bool force)
{
    struct pmc_counter_cfg cfgs[HWPERF_SIDES];
    int index[HWPERF_SIDES], error;

    for (unsigned side = 0; side < HWPERF_SIDES; side++)
        cfgs[side] = hwperf_side_configuration(control, side, &index[side]);
    error = pmc_take(&hwperf_system_owner, hwperf_counters((1u << HWPERF_SIDES) - 1), cfgs,
                     force ? PMU_BY_FORCE : PMU_IF_IDLE, NULL);
    if (error != 0)
        return error;
    memcpy(hwperf_system.index, index, sizeof index);
    hwperf_system.control = *control;
    hwperf_system.generation++;
    hwperf_system.on = true;
    return 0;
}

int hwperf_system_begin(const struct hwperf_control *control, bool force, uint32_t id)
{
    int error;

    if (hwperf_system.on)
        return EBUSY;
    if (!hwperf_system_fits(control))
        return EOPNOTSUPP;
    error = hwperf_system_take(control, force);
    if (error != 0)
        return error;
    memset(hwperf_system.before, 0, sizeof hwperf_system.before);
    hwperf_system.process = id;
    hwperf_blocks_lose();
    return 0;
}

/* What CPU has counted since the last take is added; in all, or in what it had before. The sides'
 * counters are the system's. */
static void hwperf_system_add(unsigned cpu, uint64_t count[HWPERF_EVENTS])
{
    struct pmc_cpu_value value;

    for (unsigned side = 0; side < HWPERF_SIDES; side++)
        if (hwperf_system.index[side] >= 0 &&
            pmc_get_cpu_value(hwperf_counter(side), cpu, &value) == 0)
            count[hwperf_system.index[side]] += value.value;
}

/* Every CPU looks at its registers. */
static void hwperf_system_refresh(void)
{
    uint64_t unused;

    for (unsigned side = 0; side < HWPERF_SIDES; side++)
        (void)pmc_get_counter_value(NULL, hwperf_counter(side), 0, &unused);
}

/* The counters stop at one moment on each CPU, and are given back. */
static void hwperf_system_give(void)
{
    pmc_hold_kernel_counters(hwperf_counters((1u << HWPERF_SIDES) - 1));
    hwperf_system_refresh();
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        hwperf_system_add(cpu, hwperf_system.before[cpu]);
    for (unsigned side = 0; side < HWPERF_SIDES; side++)
        (void)pmc_give(&hwperf_system_owner, hwperf_counter(side));
    hwperf_system.on = false;
}

int hwperf_system_set(const struct hwperf_control *control)
{
    int error;

    if (!hwperf_system_fits(control))
        return EOPNOTSUPP;
    hwperf_system_give();
    error = hwperf_system_take(control, true);
    if (error != 0)
        hwperf_system.process = 0; /* it is over: somebody of a higher rank has the counters */
    return error;
}

void hwperf_system_end(void)
{
    if (hwperf_system.on)
        hwperf_system_give();
    hwperf_system.process = 0;
}

bool hwperf_system_is_on(void)
{
    return hwperf_system.on;
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
    return &hwperf_system.control;
}

static void hwperf_system_read_fresh(unsigned cpu, uint64_t count[HWPERF_EVENTS])
{
    for (unsigned i = 0; i < HWPERF_EVENTS; i++)
        count[i] += hwperf_system.before[cpu][i];
    if (hwperf_system.on)
        hwperf_system_add(cpu, count);
}

void hwperf_system_read(uint64_t count[HWPERF_EVENTS])
{
    memset(count, 0, HWPERF_EVENTS * sizeof *count);
    if (hwperf_system.on)
        hwperf_system_refresh();
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++)
        hwperf_system_read_fresh(cpu, count);
}

bool hwperf_system_read_cpu(unsigned cpu, uint64_t count[HWPERF_EVENTS])
{
    if (cpu >= cpu_count())
        return false;
    memset(count, 0, HWPERF_EVENTS * sizeof *count);
    if (hwperf_system.on)
        hwperf_system_refresh();
    hwperf_system_read_fresh(cpu, count);
    return true;
}
