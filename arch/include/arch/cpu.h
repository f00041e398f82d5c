/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine contract: the running CPU. This header declares; <machine/cpu.h> defines, so that the
 * compiler reports what a new machine has forgotten.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpu;

/* CPU_MAX: CPUs that a machine may have, at most. CPU_STRIDE: from a CPU's copy of kernel data down
 * to the next CPU's; 0 where there is but one. */

/* The CPU this code runs on. Stable only while preemption or interrupts are off. One or two
 * instructions. */
static inline struct cpu *cpu_current(void);
/* The record of CPU number N. */
static inline struct cpu *cpu_of(unsigned n);

/*
 * A free-running cycle counter: 64 bits on x86_64 (TSC), 32 bits on MIPS (Count). Only for
 * cycles_between, which is the time from one reading to a later one, less than 2^31 cycles apart.
 */
static inline uint64_t cycles_now(void);
static inline uint64_t cycles_between(uint64_t from, uint64_t to);
/* The same counter in 64 bits that never wrap, given VALUE, an earlier result of this (0 at first),
 * at most 2^31 cycles old. */
static inline uint64_t cycles_extend(uint64_t value);

/*
 * Idle: called with interrupts off; turns them on and waits for one, without a gap in which a
 * wake-up could be missed: returns at once if WORK has become true. Interrupts are on afterwards.
 */
void cpu_wait(volatile const bool *work);

/* In a loop that waits for another CPU. */
static inline void cpu_relax(void);

/* Interrupts off and nothing more, for ever. */
_Noreturn void cpu_stop(void);

/* One line about the processor: "MIPS R10000 Processor Chip Revision: 2.6" or the x86 brand string.
 */
size_t cpu_describe(char *buffer, size_t size);

#include <machine/cpu.h>
