/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The running CPU on x86_64. struct cpu lies at one link-time address; the GS base is the distance
 * from there to this CPU's own copy (0 on the boot CPU), so the same trick serves struct cpu and
 * every static event counter.
 */
#pragma once

#include <stdint.h>

#define CPU_MAX 16
/* From a CPU's data to the next one's: CPU N's copy lies N times this below the boot CPU's, an
 * entry of the topmost page table, so that what is not a per-CPU address is never mistaken for one.
 */
#define CPU_STRIDE (1ul << 39)

#ifdef __CPPCHECK__
#define CPU_SEGMENT
#else
#define CPU_SEGMENT __seg_gs
#endif

extern struct cpu cpu_self;

/* This CPU's record, as an lvalue. */
#define cpu_here (*(CPU_SEGMENT struct cpu *)(uintptr_t)&cpu_self)

static inline struct cpu *cpu_current(void)
{
    return *(struct cpu * CPU_SEGMENT *)(uintptr_t)&cpu_self; /* its first field points to it */
}

static inline struct cpu *cpu_of(unsigned n)
{
    return (struct cpu *)((uintptr_t)&cpu_self - n * CPU_STRIDE);
}

static inline void cpu_relax(void)
{
    __asm__ volatile("pause" : : : "memory");
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
