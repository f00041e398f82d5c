/* SPDX-License-Identifier: BSD-2-Clause */
/* The timer of a MIPS CPU: Count and Compare of coprocessor 0, on CPU interrupt 7. */
#pragma once

#include "kernel/clock.h"

extern const struct event_timer cp0_event_timer;
