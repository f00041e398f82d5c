/* SPDX-License-Identifier: BSD-2-Clause */
/* The performance counters of MIPS32 and MIPS64 release 2 (volume III, Performance Counter
 * Register), with the 24K's event numbers (its Software User's Manual, chapter on CP0). */
#ifndef QPMU_MIPS_R2_H
#define QPMU_MIPS_R2_H

#include "tools/qpmu/events.h"

#define R2_CONTROL_MASK 0xfffu     /* event 11:5, and below as the R10000's */
#define R2_MORE         (1u << 31) /* M: another counter follows */

/* The raw event of NUMBER (0-127) on COUNTER (0, 1). */
enum qpmu_event qpmu_r2_event(unsigned counter, unsigned number);

#endif
