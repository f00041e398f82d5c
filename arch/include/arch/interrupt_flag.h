/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine contract: this CPU's interrupt switch. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Turns interrupts off and returns what to give interrupts_restore. A compiler barrier, as all of
 * these. */
static inline uintptr_t interrupts_save(void);
static inline void interrupts_restore(uintptr_t state);
/* Whether STATE says that they were on. */
static inline bool interrupts_were_enabled(uintptr_t state);
static inline void interrupts_enable(void);
static inline void interrupts_disable(void);
static inline bool interrupts_enabled(void);

#include <machine/interrupt_flag.h>
