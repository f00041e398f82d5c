/* SPDX-License-Identifier: BSD-2-Clause */
/* A CPU's own time, by which threads and idleness are measured: it stands still in interrupts. See
 * cpu_time.h. */
#pragma once

#include <arch/cpu.h>
#include "kernel/cpu.h"

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

/* Interrupts off, not in an interrupt. */
static inline uint64_t cpu_own_time(const struct cpu *cpu)
{
    return cpu_cycles(cpu) - cpu->time_interrupt;
}
