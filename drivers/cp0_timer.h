/* SPDX-License-Identifier: BSD-2-Clause */
/* The timer of a MIPS CPU: Count and Compare of coprocessor 0, on CPU interrupt 7. */
#pragma once

#include "kernel/clock.h"

void cp0_timer_start(uint64_t frequency);
extern struct event_timer cp0_event_timer;
