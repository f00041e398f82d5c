/* SPDX-License-Identifier: BSD-2-Clause */
/* What a machine without performance counters can tell whoever emulates them. */
#pragma once

#include <stdint.h>

/* TLB refill exceptions of this CPU so far; 0 where the hardware refills its TLB itself. */
uint64_t pmu_tlb_refills(void);
