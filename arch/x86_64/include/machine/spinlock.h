/* SPDX-License-Identifier: BSD-2-Clause */
/* The word of a spinlock on x86_64. Loads and stores keep their order but for a store and a later
 * load, so that a plain store gives a lock up. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <machine/cpu.h>

/* Where struct cpu, which includes this, has its id; kernel/lock/spinlock.c asserts it. */
#define SPINLOCK_CPU_ID 24

static inline uint32_t spinlock_here(void)
{
    return *(const volatile CPU_SEGMENT uint32_t *)((uintptr_t)&cpu_self + SPINLOCK_CPU_ID) + 1;
}

static inline bool spinlock_word_take(volatile uint32_t *word, uint32_t me)
{
    uint32_t expected = 0;
    bool taken;

    __asm__ volatile("lock cmpxchgl %3, %1"
                     : "=@ccz"(taken), "+m"(*word), "+a"(expected)
                     : "r"(me)
                     : "memory");
    return taken;
}

static inline void spinlock_word_free(volatile uint32_t *word)
{
    __asm__ volatile("" : : : "memory");
    *word = 0;
}

static inline void spinlock_pause(void)
{
    __asm__ volatile("pause" : : : "memory");
}
