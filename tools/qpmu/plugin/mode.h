/* SPDX-License-Identifier: BSD-2-Clause */
/* In which mode a CPU runs: Status of MIPS, the half of the address space of x86. */
#ifndef QPMU_PLUGIN_MODE_H
#define QPMU_PLUGIN_MODE_H

#include "tools/qpmu/plugin/vcpu.h"

/* A block is about to be translated, in its CPU's thread: PC is where it begins. */
void mode_translates(uint64_t pc);
/* There, x86: what code at PC is, as far as CR0 and EFER say; unknown where they cannot be read,
 * and below 4 GiB under a 64-bit kernel, where it may be a compatibility segment's. */
enum qpmu_code mode_of_code(uint64_t pc);
/* There: whether it is x86 code of users. */
bool mode_is_user(uint64_t pc);
/* Whether registers can be read. */
bool mode_reads(void);
/* Whether the modes can be told apart. */
bool mode_is_known(void);

/* BEGIN_ bits of a block at PC. */
unsigned mode_begins(uint64_t pc);

/* A block begins, its predecessor is settled. */
void mode_entered(struct vcpu *cpu, const struct block *block);

/* Callbacks, before the instruction: eret; mtc0 to Status (of a struct step); and, where blocks are
 * not counted, the first instruction of a vector. */
void mode_eret(unsigned int index, void *step);
void mode_mtc0(unsigned int index, void *step);
void mode_vector(unsigned int index, void *begins);

/* An interrupt or exception took the CPU from FROM to TO; what ran before it is counted. */
void mode_vectored(struct vcpu *cpu, bool exception, uint64_t from, uint64_t to);

/* The guest has made the hypercall, and said in its slot what it says of modes. */
void mode_known(struct vcpu *cpu);

#endif
