/* SPDX-License-Identifier: BSD-2-Clause */
/* Single steps: see trap_single_step in <arch/trap.h>. */
#pragma once

#include <stdbool.h>

/* At a debug exception, interrupts off: true if it was a step, and has been dealt with. */
bool step_trap(void);
