/* SPDX-License-Identifier: BSD-2-Clause */
/* The classes that were found, the numbers of their counters and events, and what each can do. */
#include "stats/pmc/pmu_class.h"
#include <stddef.h>
#include "lib/errno.h"
#include "stats/pmc/pmc_private.h"
#include "lib/section.h"

SHARED_BSS struct pmc_system pmc_system;

static const struct pmu_class *classes[PMU_CLASSES_MAX];
static int bases[PMU_CLASSES_MAX];
static unsigned class_count;

void pmu_attach(const struct pmu_class *class)
{
    if (class_count == PMU_CLASSES_MAX)
        return;
    bases[class_count] = pmc_system.counters;
    classes[class_count++] = class;
    for (unsigned i = 0; i < class->counters && pmc_system.counters < PMC_COUNTERS_MAX; i++)
        pmc_system.counter[pmc_system.counters++] =
            (struct pmc_counter){.class = class,
                                 .index = i,
                                 .mask = ~0ull >> (64 - class->width),
                                 .half = 1ull << (class->width - 1)};
}

const struct pmu_class *pmu_class_at(unsigned index, int *base)
{
    if (index >= class_count)
        return NULL;
    if (base != NULL)
        *base = bases[index];
    return classes[index];
}

const struct pmu_event *pmu_event_find(pmc_evid_t code, const struct pmu_class **class)
{
    for (unsigned i = 0; i < class_count; i++)
        for (unsigned e = 0; e < classes[i]->event_count; e++)
            if (classes[i]->events[e].code == code) {
                if (class != NULL)
                    *class = classes[i];
                return &classes[i]->events[e];
            }
    return NULL;
}

void pmc_system_reset(void)
{
    pmc_system = (struct pmc_system){.counters = 0};
    class_count = 0;
}

bool pmc_counter_valid(int ctr)
{
    return ctr >= 0 && ctr < pmc_system.counters;
}

uint32_t pmc_config_modes(const struct pmc_counter_cfg *cfg)
{
    return cfg->flags == 0 ? PMC_MODE_ALL : cfg->flags;
}

/* A class may list an event more than once, under several names. */
static bool pmu_class_can_hold(const struct pmc_counter *counter, pmc_evid_t code)
{
    const struct pmu_class *class = counter->class;

    for (unsigned e = 0; e < class->event_count; e++) {
        const struct pmu_event *event = &class->events[e];

        if (event->code == code && event->supported && (event->counters >> counter->index & 1))
            return true;
    }
    return false;
}

int pmc_config_check(int ctr, const struct pmc_counter_cfg *cfg)
{
    const struct pmu_class *class;
    uint32_t modes;

    if (!pmc_counter_valid(ctr) || cfg == NULL || (cfg->flags & ~PMC_MODE_ALL) != 0)
        return EINVAL;
    class = pmc_system.counter[ctr].class;
    modes = pmc_config_modes(cfg);
    if (modes != PMC_MODE_ALL && (modes & ~class->modes) != 0)
        return ENODEV;
    if (cfg->reset_value != 0 && !(class->capabilities & PMU_CAN_INTERRUPT))
        return ENODEV;
    return pmu_class_can_hold(&pmc_system.counter[ctr], cfg->event_id) ? 0 : ENODEV;
}

int pmc_get_num_counters(void)
{
    return pmc_system.counters;
}

int pmc_get_counter_type(int ctr)
{
    const struct pmc_counter *counter;

    if (ctr == -1) {
        if (class_count == 0 || (classes[0]->capabilities & PMU_VIRTUAL))
            return PMC_TYPE_NONE;
        return classes[0]->type;
    }
    if (!pmc_counter_valid(ctr))
        return -1;
    counter = &pmc_system.counter[ctr];
    if (counter->class->counter_type != NULL)
        return counter->class->counter_type(counter->index);
    return counter->class->type;
}
