/* SPDX-License-Identifier: BSD-2-Clause */
/* The storm: a timer that sets itself again, at intervals that are never quite the same. */
#include "tests/kernel/storm.h"
#include "kernel/time/clock.h"

#define PERIOD_CYCLES 3000 /* on average; a cycle of a slow emulator is long, too */

static void storm_strike(struct timer *timer)
{
    struct storm *storm = (struct storm *)timer;

    storm->strike();
    storm->strikes++;
    storm->seed =
        storm->seed * 1664525 + 1013904223; /* Numerical Recipes' generator: any will do */
    if (storm->over)
        return;
    timer_set(timer, clock_now() + storm->period / 2 + storm->period * (storm->seed >> 22) / 1024,
              storm_strike);
}

void storm_begin(struct storm *storm, void (*function)(void))
{
    storm->strike = function;
    storm->period = clock_cycles_to_ns(PERIOD_CYCLES);
    if (storm->period < 15000)
        storm->period = 15000;
    storm->seed = 1;
    storm->strikes = 0;
    storm->over = false;
    timer_set(&storm->timer, clock_now() + storm->period, storm_strike);
}

void storm_end(struct storm *storm)
{
    storm->over = true;
    timer_cancel_wait(&storm->timer);
}
