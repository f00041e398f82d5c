/* SPDX-License-Identifier: BSD-2-Clause */
/* What a machine without performance counters can tell whoever emulates them. */
#pragma once

#include <stdint.h>

/* Called, interrupts off, with the PMC_MODE_ bit of the mode that the CPU enters; NULL: nobody
 * asks. */
extern void (*pmu_mode_hook)(unsigned mode);

static inline void pmu_mode(unsigned mode)
{
    if (pmu_mode_hook)
        pmu_mode_hook(mode);
}

/* TLB refill exceptions of this CPU so far; 0 where the hardware refills its TLB itself. */
uint64_t pmu_tlb_refills(void);
