/* SPDX-License-Identifier: BSD-2-Clause */
/* The 24K's events that have a raw event. */
#include "tools/qpmu/mips_r2.h"

/* One more than the raw event; 0: none. */
#define IS(event) (QPMU_##event + 1)

static const uint8_t events[2][32] = {
    {
        [0] = IS(CYCLES),
        [1] = IS(INSTRUCTIONS),
        [2] = IS(BRANCHES_ALL),
        [11] = IS(L1D_MISSES),
        [15] = IS(LOADS),
        [19] = IS(SC),
        [22] = IS(LLC_MISSES),
    },
    {
        [0] = IS(CYCLES),
        [1] = IS(INSTRUCTIONS),
        [2] = IS(BRANCH_MISSES),
        [9] = IS(L1I_MISSES),
        [11] = IS(L1D_MISSES),
        [14] = IS(FP),
        [15] = IS(STORES),
        [19] = IS(SC_FAILED),
        [21] = IS(LLC_REFERENCES),
    },
};

enum qpmu_event qpmu_r2_event(unsigned counter, unsigned number)
{
    if (number >= 32 || events[counter][number] == 0)
        return QPMU_NO_EVENT;
    return (enum qpmu_event)(events[counter][number] - 1);
}
