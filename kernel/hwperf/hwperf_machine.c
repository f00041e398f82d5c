/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two counters and 32 events of r10k_counters(5) on the machine that there is: an R10000's own,
 * or two counters of the first PMU, for those events that mean the same there.
 */
#include "kernel/hwperf/hwperf_private.h"
#include "kernel/device/late.h"
#include "lib/errno.h"
#include "lib/section.h"
#include "stats/pmc/pmu_class.h"

static const enum pmu_meaning hwperf_meanings[HWPERF_EVENTS] = {[0] = PMU_CYCLES,
                                                                [15] = PMU_INSTRUCTIONS,
                                                                [16] = PMU_CYCLES,
                                                                [17] = PMU_INSTRUCTIONS,
                                                                [24] = PMU_BRANCH_MISSES};

static const struct pmu_class *hwperf_class; /* NULL: no hardware */
static int hwperf_base;
static SHARED_BSS const struct pmu_event *hwperf_events[HWPERF_EVENTS];

kmutex_t hwperf_lock;

static const struct pmu_event *hwperf_find_event(unsigned index)
{
    for (unsigned i = 0; i < hwperf_class->event_count; i++) {
        const struct pmu_event *event = &hwperf_class->events[i];

        if (event->supported && event->counters >> index / HWPERF_SIDE_EVENTS & 1 &&
            event->meaning != PMU_ITS_OWN && event->meaning == hwperf_meanings[index])
            return event;
    }
    return NULL;
}

static void hwperf_find(void)
{
    const struct pmu_class *class = pmu_class_at(0, &hwperf_base);

    if (!class || class->capabilities & PMU_VIRTUAL || class->counters < HWPERF_SIDES)
        return;
    hwperf_class = class;
    if (class->type == PMC_TYPE_R10K) {
        for (unsigned i = 0; i < HWPERF_EVENTS && i < class->event_count; i++)
            hwperf_events[i] = class->events[i].supported ? &class->events[i] : NULL;
        return;
    }
    for (unsigned i = 0; i < HWPERF_EVENTS; i++)
        hwperf_events[i] = hwperf_find_event(i);
}

static void hwperf_late(void)
{
    mutex_init(&hwperf_lock, "event counters");
    hwperf_overflow_boot();
    hwperf_find();
}
LATE(6, hwperf_late);

void hwperf_boot(void)
{
    late_start();
}

int hwperf_machine_check(const struct hwperf_control *control)
{
    if (!hwperf_class)
        return ENODEV;
    for (unsigned i = 0; i < HWPERF_EVENTS; i++)
        if (control->spec[i] != 0 && !hwperf_events[i])
            return EINVAL;
    return 0;
}

const char *hwperf_event_name(unsigned index)
{
    return hwperf_events[index] ? hwperf_events[index]->name : NULL;
}

bool hwperf_machine_busy(void)
{
    static const struct lwp nobody;

    for (unsigned side = 0; side < HWPERF_SIDES; side++)
        if (pmu_owner_refused(&hwperf_owner, &nobody, hwperf_counter(side), NULL))
            return true;
    return false;
}

int hwperf_counter(unsigned side)
{
    return hwperf_class ? hwperf_base + (int)side : -1;
}

uint32_t hwperf_counters(uint32_t sides)
{
    return sides << hwperf_base;
}

bool hwperf_configuration(const struct hwperf_control *control, unsigned index,
                          struct pmc_counter_cfg *cfg)
{
    *cfg = (struct pmc_counter_cfg){.event_id = hwperf_events[index]->code,
                                    .reset_value = hwperf_period(control, index),
                                    .flags = hwperf_modes(control, index) & hwperf_class->modes};
    return cfg->flags != 0;
}
