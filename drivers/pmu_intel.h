/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The class intel: architectural performance monitoring of the CPU itself, or qpmu's, which has the
 * same registers.
 */
#pragma once

struct interrupt_line;

/* Start-up: finds out which, and logs one line. */
void pmu_intel_boot(void);
/* By the board: makes the line of performance interrupts (the LAPIC's entry), on demand; REARM is
 * called on each CPU to let the next one through. */
void pmu_intel_set_line(struct interrupt_line *(*line)(void), void (*rearm)(void));
