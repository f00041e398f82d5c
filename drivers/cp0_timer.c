/* SPDX-License-Identifier: BSD-2-Clause */
/* Count and Compare (MIPS R10000 User's Manual 14.9 and 14.11). A write to Compare also takes the interrupt away. */
#include "drivers/cp0_timer.h"
#include <arch/cpu.h>

#define LEAST 64 /* a deadline closer than this is likely to be passed before it is written */
#define IP7   0x8000u

#define GXEMUL_HZ 33000000u

static uint64_t counts_per_ns; /* 32.32 fixed point */

static void arm(uint64_t delay_ns)
{
    uint32_t delay = (uint32_t)(delay_ns * counts_per_ns >> 32), start;

    /* Passed and not noticed, it would be missed by a whole turn of Count: then once more, further away. */
    for (delay = delay > LEAST ? delay : LEAST;; delay *= 2) {
        start = (uint32_t)cycles_now();
        CP0_WRITE32(11, start + delay);
        if ((uint32_t)cycles_now() - start < delay || CP0_READ32(13) & IP7)
            return;
    }
}

/* A period that is shorter than wanted does no harm: the clock looks what is due and arms again. */
static void arm_difference(uint64_t delay_ns)
{
    uint32_t difference = (uint32_t)(delay_ns * counts_per_ns >> 32);

    CP0_WRITE32(11, CP0_READ32(11) + (difference > LEAST ? difference : LEAST));
}

struct event_timer cp0_event_timer = {"cp0", arm, 1000000000};

void cp0_timer_start(uint64_t frequency, bool by_difference)
{
    if (by_difference)
        cp0_event_timer.arm = arm_difference;
    counts_per_ns = ((by_difference ? GXEMUL_HZ : frequency) << 32) / 1000000000;
}
