/* SPDX-License-Identifier: BSD-2-Clause */
/* The running CPU on MIPS (there is one), and coprocessor 0. */
#pragma once

#include <stdint.h>

#define CPU_MAX    1
#define CPU_STRIDE 0

extern struct cpu cpu_self;

#define cpu_here cpu_self

static inline struct cpu *cpu_current(void)
{
    return &cpu_self;
}

static inline struct cpu *cpu_of(unsigned n)
{
    (void)n;
    return &cpu_self;
}

static inline void cpu_relax(void)
{
    __asm__ volatile("" : : : "memory");
}

#define CP0_READ32(reg)                                                                            \
    __extension__({                                                                                \
        uint32_t cp0_value;                                                                        \
        __asm__ volatile("mfc0 %0, $" #reg : "=r"(cp0_value));                                     \
        cp0_value;                                                                                 \
    })
#define CP0_WRITE32(reg, value)                                                                    \
    __asm__ volatile("mtc0 %z0, $" #reg : : "Jr"((uint32_t)(value)) : "memory")
#define CP0_READ64(reg)                                                                            \
    __extension__({                                                                                \
        uint64_t cp0_value;                                                                        \
        __asm__ volatile("dmfc0 %0, $" #reg : "=r"(cp0_value));                                    \
        cp0_value;                                                                                 \
    })
#define CP0_WRITE64(reg, value)                                                                    \
    __asm__ volatile("dmtc0 %z0, $" #reg : : "Jr"((uint64_t)(value)) : "memory")

/* Count as a number with its sign extended: what the register move leaves, so that it costs nothing
 * more. */
static inline uint64_t cycles_now(void)
{
    int64_t count;

    __asm__ volatile("mfc0 %0, $9" : "=r"(count));
    return (uint64_t)count;
}

/* subu subtracts the low halves and extends the sign; below 2^31 that is the whole difference. */
static inline uint64_t cycles_between(uint64_t from, uint64_t to)
{
    uint64_t difference;

    __asm__("subu %0, %1, %2" : "=r"(difference) : "r"(to), "r"(from));
    return difference;
}

static inline uint64_t cycles_extend(uint64_t value)
{
    return value + cycles_between(value, cycles_now());
}
