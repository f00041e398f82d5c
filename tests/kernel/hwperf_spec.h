/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of kernel/hwperf/ count: events of the R10000, by the interface's numbers. */
#pragma once

#include <stdint.h>
#include <sys/pmc.h>
#include "stats/hwperf/hwperf_control.h"

#define CYCLES_0     0u
#define INSTRUCTIONS 15u
#define CYCLES_1     16u

/* EVENT in the kernel's mode, without interrupts. */
static inline uint16_t hwperf_spec_of(unsigned event)
{
    return (uint16_t)(event % HWPERF_SIDE_EVENTS << 5 | PMC_MODE_K);
}
