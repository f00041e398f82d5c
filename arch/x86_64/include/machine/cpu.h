/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The running CPU on x86_64. struct cpu lies at one link-time address; the GS base is the distance
 * from there to this CPU's own copy (0 on the boot CPU), so the same trick serves struct cpu and
 * every static event counter.
 */
#pragma once

#include <stdint.h>

static inline struct cpu *cpu_current(void)
{
    struct cpu *cpu;

    __asm__("movq %%gs:cpu_self, %0" : "=r"(cpu));
    return cpu;
}

static inline uint64_t cycles_now(void)
{
    uint64_t low, high; /* rdtsc clears the upper halves */

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return high << 32 | low;
}

static inline uint64_t cycles_between(uint64_t from, uint64_t to)
{
    return to - from;
}

static inline uint64_t cycles_extend(uint64_t value)
{
    (void)value;
    return cycles_now();
}

static inline uint64_t msr_read(uint32_t msr)
{
    uint32_t low, high;

    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
    return ((uint64_t)high << 32) | low;
}

static inline void msr_write(uint32_t msr, uint64_t value)
{
    __asm__ volatile("wrmsr"
                     :
                     : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
                     : "memory");
}

static inline void cpuid(uint32_t leaf, uint32_t out[4])
{
    __asm__ volatile("cpuid"
                     : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3])
                     : "a"(leaf), "c"(0));
}
