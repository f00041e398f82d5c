/* SPDX-License-Identifier: BSD-2-Clause */
/* A CPU's own time, by which threads and idleness are measured: it stands still in interrupts. See
 * cpu_time.h. */
#pragma once

#include <arch/cpu.h>
#include "kernel/cpu/cpu.h"

/*
 * What time_interrupt starts with, so that a CPU's own time is more than any thread can have used:
 * a thread's sum is then negative exactly while it runs, and time_interrupt below this exactly
 * while an interrupt is being served.
 */
#define CPU_TIME_BASE (-(1ull << 62))

/* The cycle counter in 64 bits; interrupts off. */
static inline uint64_t cpu_cycles(const struct cpu *cpu)
{
    return cycles_extend(cpu->clock.extended);
}

/*
 * The accounting itself. `make bench` builds a kernel without it, with QUIPU_WITHOUT_CPU_TIME, to
 * tell what it costs; no other kernel is without.
 */
#ifdef QUIPU_WITHOUT_CPU_TIME
#define CPU_TIME_KEPT 0
#else
#define CPU_TIME_KEPT 1
#endif
#define CPU_TIME(statement) (CPU_TIME_KEPT ? (void)(statement) : (void)0)

/* Interrupts off, not in an interrupt. */
static inline uint64_t cpu_own_time(const struct cpu *cpu)
{
    return CPU_TIME_KEPT ? cpu_cycles(cpu) - cpu->time_interrupt : 0;
}

/* The same of a CPU whose time_interrupt was INTERRUPT when the cycle count was NOW. While an
 * interrupt is being served it stands. */
static inline uint64_t cpu_own_time_at(uint64_t interrupt, uint64_t now)
{
    return (int64_t)interrupt < (int64_t)CPU_TIME_BASE ? -interrupt : now - interrupt;
}

/* The beginning or the end of an interrupt, for CPU_TIME and for cycles_between. */
static inline uint64_t cpu_stamp(const struct cpu *cpu)
{
    return CPU_TIME_KEPT ? cpu_cycles(cpu) : cycles_now();
}
