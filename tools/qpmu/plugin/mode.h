/* SPDX-License-Identifier: BSD-2-Clause */
/* In which mode a CPU runs: Status of MIPS, the half of the address space of x86. */
#ifndef QPMU_PLUGIN_MODE_H
#define QPMU_PLUGIN_MODE_H

#include "tools/qpmu/plugin/vcpu.h"

/* BEGIN_ bits of a block at PC. */
unsigned mode_begins(uint64_t pc);

/* A block begins, its predecessor is settled. */
void mode_entered(struct vcpu *cpu, const struct block *block);

/* Callbacks, before the instruction: eret; mtc0 to Status (of a struct step); and, where blocks are
 * not counted, the first instruction of a vector. */
void mode_eret(unsigned int index, void *step);
void mode_mtc0(unsigned int index, void *step);
void mode_vector(unsigned int index, void *begins);

/* The guest has said what Status is. */
void mode_known(struct vcpu *cpu);

#endif
