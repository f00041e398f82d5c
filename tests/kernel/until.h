/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting in a self-test for what an interrupt or another thread does: awake, and not for ever. */
#pragma once

#include <arch/cpu.h>
#include <stdbool.h>
#include <stdint.h>
#include "kernel/time/clock.h"

/*
 * What has not happened by then will not happen: not even on a host that gives the machine a small
 * part of one CPU. GXemul's Count runs with its instructions, not with the time by which it
 * interrupts, so that seconds alone say little there.
 */
static inline uint64_t until_deadline(void)
{
    return clock_now() + 60000000000 + clock_cycles_to_ns(1000000000);
}

/* Turns until *VALUE is at least WANTED; false if it never is. */
static inline bool until_at_least(const volatile unsigned *value, unsigned wanted)
{
    uint64_t end = until_deadline();

    while (*value < wanted)
        if (clock_now() > end)
            return false;
        else
            cpu_relax();
    return true;
}
