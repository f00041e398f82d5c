/* SPDX-License-Identifier: BSD-2-Clause */
/* Words that are raised by everybody, on MIPS: as an event counter is, see <machine/evcnt.h>. */
#pragma once

#include <stdint.h>

static inline __attribute__((always_inline)) void cell_incr(uint64_t *word)
{
    __asm__ volatile(".set push\n\t"
                     ".set noreorder\n\t"
                     ".set noat\n\t"
                     "ld $27, %0\n\t"
                     "daddiu $27, $27, 1\n\t"
                     "sd $27, %0\n\t"
                     ".set pop"
                     : "+m"(*word)
                     :
                     : "memory");
}

static inline void cell_add(uint64_t *word, uint64_t amount)
{
    *(volatile uint64_t *)word += amount;
}

/* See arch/x86_64/include/machine/cell.h. */
uint64_t *cell_machine_create(unsigned count);

static inline uint64_t *cell_on(const uint64_t *word, unsigned cpu)
{
    (void)cpu;
    return (uint64_t *)(uintptr_t)word;
}

static inline uint64_t cell_sum(const uint64_t *word)
{
    return *(const volatile uint64_t *)word;
}
