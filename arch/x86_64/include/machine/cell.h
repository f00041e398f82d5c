/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words that every CPU raises in its own copy: the cells of event counters without the counter.
 * They lie in the kernel's data, or come from cell_create (stats/evcnt/cell.h). A word elsewhere
 * (allocated, on a stack) has no copies: raising it on another CPU than the first faults.
 */
#pragma once

#include <stdint.h>

/* One more; exact against interrupts and other CPUs, wherever the thread is moved to. */
static inline __attribute__((always_inline)) void cell_incr(uint64_t *word)
{
    __asm__ volatile("incq %%gs:%0" : "+m"(*word) : : "memory", "cc");
}

/* AMOUNT more, on this CPU; interrupts off. */
static inline __attribute__((always_inline)) void cell_add(uint64_t *word, uint64_t amount)
{
    __asm__ volatile("addq %1, %%gs:%0" : "+m"(*word) : "r"(amount) : "memory", "cc");
}

/* COUNT words beside each other, all 0, of which every CPU has a copy; they stay. NULL: no memory.
 * Under the lock of stats/port.h, once the number of CPUs is known. */
uint64_t *cell_machine_create(unsigned count);

/* CPU's copy of WORD, which is aligned: one load reads it whole. */
uint64_t *cell_on(const uint64_t *word, unsigned cpu);

/* What all CPUs added to WORD, each copy read whole. Any context. */
uint64_t cell_sum(const uint64_t *word);
