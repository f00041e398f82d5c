/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls before single instructions, where there is something to do just then. One word of each CPU
 * says whether there is. Which instructions look at it is decided at translation: a block's first
 * one, those behind an instruction that is answered (direct_x86.c), and with `level_steps` all.
 */
#ifndef QPMU_PLUGIN_WATCH_H
#define QPMU_PLUGIN_WATCH_H

#include "tools/qpmu/plugin/vcpu.h"

/* Bits of the word. */
#define WATCH_PATCH     1u  /* registers are to be changed */
#define WATCH_WRITE     2u  /* a register of the PMU is to be written */
#define WATCH_INTERRUPT 4u  /* an interrupt is to be raised */
#define WATCH_STEPS     8u  /* a limit may be reached in the block that runs */
#define WATCH_FREEZE    16u /* an overflow whose interrupt is up already stops the counters */

static inline void watch_set(struct vcpu *cpu, uint64_t why)
{
    *watch_of(cpu) |= why;
}

/* The instruction is to look. Everything else that is asked for of it comes later. */
void watch_ask(struct qemu_plugin_insn *insn, const struct step *step);

/* A block is about to begin, what was before it is counted and in `room`: whether a limit lies in
 * it. */
void watch_block(struct vcpu *cpu, const struct block *next);

/* The block is left before STEP, with all before it counted, and the CPU comes back to STEP. CODE:
 * where the call was made from, in QEMU's code. Returns only where the block cannot be left. */
void watch_leave(struct vcpu *cpu, const struct step *step, uintptr_t code);

/* The machine has ended: says how many interrupts came later than at their instruction, if any. */
void watch_ended(void);

#endif
