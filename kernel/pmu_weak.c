/* SPDX-License-Identifier: BSD-2-Clause */
/* Stands in for pmc(9) until it is there. */
#include "stats/pmu_class.h"

static const struct pmu_class *classes[PMU_CLASSES_MAX];
static unsigned count;

__attribute__((weak)) void pmu_attach(const struct pmu_class *class)
{
    classes[count++] = class;
}

__attribute__((weak)) const struct pmu_class *pmu_class_at(unsigned index, int *base)
{
    (void)base;
    return index < count ? classes[index] : 0;
}

__attribute__((weak)) void pmc_overflow(const struct pmu_overflow *overflow)
{
    (void)overflow;
}
