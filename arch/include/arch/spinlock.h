/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine contract: the word of a spinlock, and who takes it. All with interrupts off. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* This CPU's number + 1: what the word of a lock holds while this CPU has it; 0: free. */
static inline uint32_t spinlock_here(void);
/* Puts ME into a free WORD; false, with nothing changed, if it was not free. What follows in the
 * program happens after it. */
static inline bool spinlock_word_take(volatile uint32_t *word, uint32_t me);
/* Frees it. What stands before in the program happens before it. */
static inline void spinlock_word_free(volatile uint32_t *word);
/* Between two looks at a word that is not free. */
static inline void spinlock_pause(void);

#include <machine/spinlock.h>
