/* SPDX-License-Identifier: BSD-2-Clause */
/* A storm of timer interrupts, as dense as the machine can bear while the thread still gets
 * somewhere. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "kernel/time/timer.h"

struct storm {
    struct timer timer;   /* first: the callback finds the storm by it */
    void (*strike)(void); /* called by each interrupt */
    uint64_t period;      /* nanoseconds from one strike's end to the next */
    uint32_t seed;
    volatile unsigned strikes; /* written by the interrupt only */
    volatile bool over;
};

/* Begins to call STRIKE in timer interrupts. */
void storm_begin(struct storm *storm, void (*strike)(void));
/* The last one is over when this returns. */
void storm_end(struct storm *storm);
