/* SPDX-License-Identifier: BSD-2-Clause */
/* Measuring the machine's clocks against the 8254, asleep. */
#pragma once

#include <stdint.h>
#include "kernel/interrupt.h"

struct calibration {
    uint64_t cycles_hz; /* cycles_now() */
    uint64_t timer_hz;  /* what TIMER counts down, 0 without one */
};

/* PIT_LINE: the 8254's interrupt. TIMER: a 32-bit down-counter, or NULL. Interrupts on; sleeps for 10 ms. */
struct calibration calibrate(struct interrupt_line *pit_line, uint32_t (*timer)(void));
/* Takes the handler off again, where the line gets another use. */
void calibrate_end(struct interrupt_line *pit_line);
