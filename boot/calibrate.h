/* SPDX-License-Identifier: BSD-2-Clause */
/* Measuring the machine's clocks against the 8254, asleep. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "kernel/interrupt/interrupt.h"

struct calibration {
    uint64_t cycles_hz; /* cycles_now() */
    uint64_t timer_hz;  /* what the other timer counts down, 0 without one */
};

struct pit_clocks {
    uint32_t (*timer)(void); /* a 32-bit down-counter to measure too, or NULL */
    bool unsure;   /* no firmware says that the line is wired: try it before sleeping; only if
                      readable */
    bool readable; /* the 8254 tells its count; otherwise its interrupt alone is the measure */
};

/* PIT_LINE: the 8254's interrupt; its handler "pit0" stays on it. Interrupts on; sleeps for 20 ms,
 * seldom longer. */
/* Panics if `unsure` shows that the 8254 does not count, or that its interrupt does not come. */
struct calibration calibrate(struct interrupt_line *pit_line, const struct pit_clocks *clocks);
