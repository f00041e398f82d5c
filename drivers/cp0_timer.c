/* SPDX-License-Identifier: BSD-2-Clause */
/* Count and Compare (MIPS R10000 User's Manual 14.9 and 14.11). A write to Compare also takes the interrupt away. */
#include "drivers/cp0_timer.h"
#include <arch/cpu.h>

#define LEAST   64         /* nothing nearer can be written before it has passed */
#define LONGEST 0x40000000 /* so that "passed" can be told from "far away" */

/* A deadline that passes while it is being written would come round only after 2^32 counts: look, and try again. */
static void arm(uint64_t now, uint64_t deadline)
{
    uint32_t at = deadline - now < LONGEST ? (uint32_t)deadline : (uint32_t)now + LONGEST;
    uint32_t margin = LEAST;

    CP0_WRITE32(11, at);
    while (__builtin_expect((int32_t)(at - (uint32_t)CP0_READ32(9)) <= 0, 0)) {
        at = (uint32_t)CP0_READ32(9) + margin;
        margin *= 2;
        CP0_WRITE32(11, at);
    }
}

const struct event_timer cp0_event_timer = {"cp0", arm};
