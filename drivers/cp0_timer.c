/* SPDX-License-Identifier: BSD-2-Clause */
/* Count and Compare (MIPS R10000 User's Manual 14.9 and 14.11). A write to Compare also takes the interrupt away. */
#include "drivers/cp0_timer.h"
#include <arch/cpu.h>

#define LEAST 64 /* counts; nothing nearer can be written before it has passed */

/* The deadline passed while it was being written and would come round only after 2^32 counts: set later ones. */
static __attribute__((noinline)) int arm_late(void)
{
    uint32_t at, margin = LEAST;

    do {
        at = CP0_READ32(9) + margin;
        margin *= 2;
        CP0_WRITE32(11, at);
    } while ((int32_t)(at - CP0_READ32(9)) <= 0);
    return 1;
}

static int arm(uint64_t now, uint64_t deadline)
{
    (void)now;
    CP0_WRITE32(11, (uint32_t)deadline);
    return __builtin_expect((int32_t)((uint32_t)deadline - CP0_READ32(9)) <= 0, 0) ? arm_late() : 1;
}

const struct event_timer cp0_event_timer = {"cp0", arm};
