/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tick, 100 times a second, and the timers that are due between: what the clock's interrupt
 * does. It is one handler for both, as the event timer has one deadline (kernel/time/clock.h).
 */
#pragma once

#include <stdint.h>

/* The interrupt handler to establish on the timer's line (argument unused). Always claims. */
int tick_interrupt(void *);
/* The same for a line that others are on, too: claims only where the deadline has passed. */
int tick_interrupt_shared(void *);
/* Boot: time begins, as clock_start says, and what interrupts took before is known to be unknown.
 */
void tick_start(uint64_t cycles_per_second);
