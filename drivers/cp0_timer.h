/* SPDX-License-Identifier: BSD-2-Clause */
/* The timer of a MIPS CPU: Count and Compare of coprocessor 0, on CPU interrupt 7. */
#pragma once

#include <stdbool.h>
#include "kernel/clock.h"

/*
 * BY_DIFFERENCE: as GXemul does it. It never compares; a write to Compare makes it interrupt periodically, with a
 * frequency of 33 MHz divided by the difference to the Compare before.
 */
void cp0_timer_start(uint64_t frequency, bool by_difference);
extern struct event_timer cp0_event_timer;
