/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of the guest, read and changed in calls that may. */
#ifndef QPMU_PLUGIN_PATCH_H
#define QPMU_PLUGIN_PATCH_H

#include "tools/qpmu/plugin/vcpu.h"

/* Where a block is being translated; false: this QEMU's registers are not what is needed. */
bool patch_find(void);

uint64_t patch_read(const struct vcpu *cpu, enum direct_register which);
/* x86: the PC; right where a block begins, and where the CPU is unwound. */
bool patch_pc(uint64_t *pc);
void patch_write(const struct vcpu *cpu, enum direct_register which, uint64_t value);

/* The register gets VALUE once the instruction has been executed, beside the bits of KEEP that it
 * has then. */
void patch_later(struct vcpu *cpu, const struct step *step, enum direct_register which,
                 uint64_t keep, uint64_t value);
/* The register has VALUE while the instruction is executed, which raises an exception for that. */
void patch_during(struct vcpu *cpu, const struct step *step, enum direct_register which,
                  uint64_t value);

/* The instruction has been executed; or an EXCEPTION or interrupt came at FROM. */
void patch_apply(struct vcpu *cpu);
void patch_discontinuity(struct vcpu *cpu, bool exception, uint64_t from);

#endif
