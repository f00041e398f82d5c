/* SPDX-License-Identifier: BSD-2-Clause */
/* Measuring the machine's clocks against the 8254, asleep. */
#pragma once

#include <stdint.h>
#include "kernel/interrupt.h"

struct calibration {
    uint64_t cycles_hz; /* cycles_now() */
    uint64_t timer_hz;  /* what TIMER counts down, 0 without one */
};

/*
 * PIT_LINE: the 8254's interrupt, which keeps the handler "pit0" (it claims once). TIMER: a 32-bit down-counter, or NULL. Interrupts
 * on; sleeps for 30 ms.
 */
struct calibration calibrate(struct interrupt_line *pit_line, uint32_t (*timer)(void));
