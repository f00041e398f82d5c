/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting in a self-test for what an interrupt or another thread does: awake, and not for ever. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "kernel/clock.h"

#define UNTIL_NS 5000000000ull /* what has not happened by then will not happen */

/* Turns until *VALUE is at least WANTED; false if it never is. */
static inline bool until_at_least(const volatile unsigned *value, unsigned wanted)
{
    uint64_t end = clock_now() + UNTIL_NS;

    while (*value < wanted)
        if (clock_now() > end)
            return false;
    return true;
}
