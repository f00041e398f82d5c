/* SPDX-License-Identifier: BSD-2-Clause */
/* See hwperf_cpu.h. */
#include "kernel/hwperf/hwperf_cpu.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cross_call.h"
#include "lib/section.h"
#include "lib/string.h"

static SHARED_BSS struct hwperf_cpu hwperf_cpus[CPU_MAX];
static struct hwperf_passed hwperf_system_passed;
SHARED_BSS struct hwperf_plan hwperf_plan;

#define ALL_SIDES ((1u << HWPERF_SIDES) - 1)

static struct hwperf_cpu *hwperf_cpu_here(void)
{
    return &hwperf_cpus[cpu_here.id];
}

/* The event whose slice it is; -1: none, or one that is never counted in its modes. */
static int hwperf_cpu_index(unsigned side, unsigned slice)
{
    const struct hwperf_slices *slices = &hwperf_plan.slices;
    struct pmc_counter_cfg unused;
    unsigned index;

    if (slices->count[side] == 0)
        return -1;
    index = slices->index[side][slice % slices->count[side]];
    return hwperf_configuration(&hwperf_plan.control, index, &unused) ? (int)index : -1;
}

/* A side without an event counts cycles that nobody looks at, so that nobody else has it. */
static struct pmc_counter_cfg hwperf_cpu_configuration(unsigned side, int index)
{
    struct hwperf_control idle = {.signal = 0};
    unsigned none = side * HWPERF_SIDE_EVENTS;
    struct pmc_counter_cfg cfg;

    idle.spec[none] = PMC_MODE_K;
    if (index >= 0)
        (void)hwperf_configuration(&hwperf_plan.control, (unsigned)index, &cfg);
    else
        (void)hwperf_configuration(&idle, none, &cfg);
    return cfg;
}

struct pmc_counter_cfg hwperf_cpu_first(unsigned side)
{
    return hwperf_cpu_configuration(side, hwperf_cpu_index(side, 0));
}

static void hwperf_cpu_fold_side(struct hwperf_cpu *cpu, unsigned side, uint64_t value)
{
    int index = hwperf_cpu_index(side, cpu->slice[side]);

    if (index >= 0)
        cpu->count[index] += value - cpu->folded[side];
    cpu->folded[side] = value;
}

static void hwperf_cpu_fold(bool stop)
{
    struct hwperf_cpu *cpu = hwperf_cpu_here();
    uint64_t value[HWPERF_SIDES];

    if (!pmc_read_here(&hwperf_system_owner, hwperf_counters(ALL_SIDES), stop, value))
        return;
    for (unsigned side = 0; side < HWPERF_SIDES; side++)
        hwperf_cpu_fold_side(cpu, side, value[side]);
}

/* The sides in SIDES go on to the next event. */
static void hwperf_cpu_go_on(struct hwperf_cpu *cpu, uint32_t sides)
{
    struct pmc_slice slice[HWPERF_SIDES];
    unsigned n = 0;

    for (unsigned side = 0; side < HWPERF_SIDES; side++)
        if (sides >> side & 1) {
            int index = hwperf_cpu_index(side, cpu->slice[side] + 1);

            slice[n].cfg = hwperf_cpu_configuration(side, index);
            slice[n++].left = index >= 0 ? cpu->left[index] : 0;
        }
    if (!pmc_slice_here(&hwperf_system_owner, hwperf_counters(sides), slice))
        return;
    n = 0;
    for (unsigned side = 0; side < HWPERF_SIDES; side++)
        if (sides >> side & 1) {
            int index = hwperf_cpu_index(side, cpu->slice[side]);

            hwperf_cpu_fold_side(cpu, side, slice[n].value);
            if (index >= 0)
                cpu->left[index] = slice[n].left;
            cpu->folded[side] = 0;
            cpu->slice[side]++;
            cpu->rotations++;
            n++;
        }
}

/* What has one event on each side is not touched at ticks. */
static void hwperf_cpu_rotate(void)
{
    uint32_t sides = 0;

    for (unsigned side = 0; side < HWPERF_SIDES; side++)
        if (hwperf_plan.slices.count[side] > 1)
            sides |= 1u << side;
    if (hwperf_plan.on && sides != 0)
        hwperf_cpu_go_on(hwperf_cpu_here(), sides);
}

static void hwperf_cpu_sample(const struct pmc_sample *sample)
{
    struct hwperf_cpu *cpu = hwperf_cpu_here();
    unsigned side = (unsigned)(sample->ctr - hwperf_counter(0));
    int index = side < HWPERF_SIDES ? hwperf_cpu_index(side, cpu->slice[side]) : -1;

    if (index < 0)
        return;
    cpu->overflows[index] += sample->count;
    if (hwperf_plan.control.signal != 0 && hwperf_plan.told != 0)
        hwperf_pass(&hwperf_system_passed, hwperf_plan.told, (uint32_t)sample->count);
}

const struct pmu_owner hwperf_system_owner = {.name = "r10k_counters of the system",
                                              .rank = PMU_RANK_MODE,
                                              .system = true,
                                              .sample = hwperf_cpu_sample,
                                              .rotate = hwperf_cpu_rotate};

void hwperf_cpus_prepare(bool anew)
{
    for (unsigned i = 0; i < cpu_count(); i++) {
        struct hwperf_cpu *cpu = &hwperf_cpus[i];

        if (anew)
            memset(cpu, 0, sizeof *cpu);
        memcpy(cpu->began, cpu->count, sizeof cpu->began);
        memcpy(cpu->began_passed, cpu->overflows, sizeof cpu->began_passed);
        memset(cpu->left, 0, sizeof cpu->left);
        memset(cpu->folded, 0, sizeof cpu->folded);
        memset(cpu->slice, 0, sizeof cpu->slice);
    }
}

struct hwperf_cpu *hwperf_cpu_of(unsigned cpu)
{
    return &hwperf_cpus[cpu];
}

void hwperf_cpu_settle(void)
{
    struct hwperf_cpu *cpu = hwperf_cpu_here();

    if (!hwperf_plan.on)
        return;
    hwperf_cpu_fold(false);
    for (unsigned side = 0; side < HWPERF_SIDES; side++) {
        int index = hwperf_cpu_index(side, cpu->slice[side]);

        if (index >= 0)
            cpu->left[index] = pmc_left_here(hwperf_counter(side));
    }
}

static void hwperf_cpu_stop_here(void *unused)
{
    (void)unused;
    hwperf_cpu_fold(true);
}

void hwperf_cpus_stop(void)
{
    cross_call_all(hwperf_cpu_stop_here, NULL);
}

static void hwperf_cpu_read_here(void *copy)
{
    if (hwperf_plan.on)
        hwperf_cpu_fold(false);
    ((struct hwperf_cpu *)copy)[cpu_here.id] = *hwperf_cpu_here();
}

void hwperf_cpus_read(struct hwperf_cpu *copy)
{
    cross_call_all(hwperf_cpu_read_here, copy);
}
