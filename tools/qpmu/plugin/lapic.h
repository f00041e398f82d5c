/* SPDX-License-Identifier: BSD-2-Clause */
/* The performance entry of a PC's local APICs. */
#ifndef QPMU_PLUGIN_LAPIC_H
#define QPMU_PLUGIN_LAPIC_H

#include "tools/qpmu/plugin/vcpu.h"

#define LAPIC_MSR_BASE  0x1bu
#define LAPIC_MSR_LVTPC 0x834u /* in x2APIC mode */

/* CPU's own raises what its entry says, unless that is masked, and the entry is masked then. False:
 * nothing was raised. */
bool lapic_raise(struct vcpu *cpu);

/* CPU is about to write an MSR: those of the above are remembered. */
void lapic_written(struct vcpu *cpu, uint32_t number, uint64_t value);

#endif
