/* SPDX-License-Identifier: BSD-2-Clause */
/* Event timers of a PC: the LAPIC's or the 8254, as the board decides at boot. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern int (*event_timer_device)(uint64_t now, uint64_t deadline);

static inline int event_timer_arm(uint64_t now, uint64_t deadline)
{
    return event_timer_device(now, deadline);
}
