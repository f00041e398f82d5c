/* SPDX-License-Identifier: BSD-2-Clause */
/* The instructions that read and write counters, and the hypercall. */
#ifndef QPMU_PLUGIN_REGISTERS_H
#define QPMU_PLUGIN_REGISTERS_H

#include "tools/qpmu/qemu/emu.h"

/* Callbacks before the instruction, of a struct step. */
void register_read(unsigned int index, void *step);
void register_written(unsigned int index, void *step);
/* After the store that follows the hypercall's no-op. */
void hypercall_made(unsigned int index, emu_access info, uint64_t address, void *unused);

#endif
