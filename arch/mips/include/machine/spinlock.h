/* SPDX-License-Identifier: BSD-2-Clause */
/* The word of a spinlock on MIPS. There is one CPU and its interrupts are off, so the word is a
 * plain one; more CPUs would need ll, sc and sync here. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

static inline uint32_t spinlock_here(void)
{
    return 1;
}

static inline bool spinlock_word_take(volatile uint32_t *word, uint32_t me)
{
    if (*word)
        return false;
    *word = me;
    __asm__ volatile("" : : : "memory");
    return true;
}

static inline void spinlock_word_free(volatile uint32_t *word)
{
    __asm__ volatile("" : : : "memory");
    *word = 0;
}

static inline void spinlock_pause(void)
{
}
