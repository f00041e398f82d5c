/* SPDX-License-Identifier: BSD-2-Clause */
/* Arming Compare: late, and in GXemul. */
#include <arch/event_timer.h>
#include "arch/mips/vector.h"
#include "kernel/time/clock.h"

#define LEAST 64 /* counts; nothing nearer can be written before it has passed */
#define GXEMUL_HZ                                                                                  \
    33000000u /* what GXemul divides by the difference of two Compare values, for interrupts a     \
                 second */

int event_timer_arm_late(void)
{
    uint32_t at, margin = LEAST;

    do {
        at = CP0_READ32(9) + margin;
        margin *= 2;
        CP0_WRITE32(11, at);
    } while ((int32_t)(at - CP0_READ32(9)) <= 0);
    return 1;
}

/* GXemul, the only board with an R10000, interrupts periodically, at a rate that two writes to
 * Compare set. */
bool event_timer_peculiar(void)
{
    return cpu_is_r10000();
}

int event_timer_arm_anywhere(uint64_t now, uint64_t deadline)
{
    uint64_t difference;

    if (!event_timer_peculiar())
        return event_timer_arm(now, deadline);
    difference = (deadline - now) * GXEMUL_HZ / clock_frequency();
    CP0_WRITE32(11, CP0_READ32(11) + (uint32_t)(difference > LEAST ? difference : LEAST));
    return 1;
}
