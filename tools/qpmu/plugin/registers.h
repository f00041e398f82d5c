/* SPDX-License-Identifier: BSD-2-Clause */
/* The instructions that read and write counters, and the hypercall. */
#ifndef QPMU_PLUGIN_REGISTERS_H
#define QPMU_PLUGIN_REGISTERS_H

#include "tools/qpmu/plugin/vcpu.h"

/* Callbacks before the instruction, of a struct step. */
void register_read(unsigned int index, void *step);
void register_written(unsigned int index, void *step);
/* Without a slot. STEP is about to reach a register: everything up to it is counted, and room_give
 * is due. */
void registers_settle(struct vcpu *cpu, const struct step *step);
/* Then: writes, and gives room. False: nothing was written, since an event is not instrumented yet;
 * it will be when this block has been left. */
bool registers_write(struct vcpu *cpu, uint32_t number, uint64_t value);
/* Before a hypercall's no-op, and after the store that follows it. */
void hypercall_announced(unsigned int index, void *unused);
void hypercall_made(unsigned int index, emu_access info, uint64_t address, void *unused);

#endif
