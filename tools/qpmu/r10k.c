/* SPDX-License-Identifier: BSD-2-Clause */
/* The R10000's event table and modes. */
#include "tools/qpmu/r10k.h"

#include "tools/qpmu/include/qpmu.h"

static const uint8_t r10k_events[R10K_COUNTERS][16] = {
    {
        [0] = QPMU_CYCLES,
        [1] = QPMU_ISSUED,
        [2] = QPMU_LOADS_ISSUED,
        [3] = QPMU_STORES_ISSUED,
        [4] = QPMU_SC_ISSUED,
        [5] = QPMU_SC_FAILED,
        [6] = QPMU_BRANCHES,
        [7] = QPMU_L2_WRITEBACKS,
        [8] = QPMU_ECC,
        [9] = QPMU_L1I_MISSES,
        [10] = QPMU_L2I_MISSES,
        [11] = QPMU_L2I_WAY,
        [12] = QPMU_INTERVENTIONS,
        [13] = QPMU_INVALIDATIONS,
        [14] = QPMU_FU_CYCLES,
        [15] = QPMU_INSTRUCTIONS,
    },
    {
        [0] = QPMU_CYCLES,
        [1] = QPMU_INSTRUCTIONS,
        [2] = QPMU_LOADS,
        [3] = QPMU_STORES,
        [4] = QPMU_SC,
        [5] = QPMU_FP,
        [6] = QPMU_L1D_WRITEBACKS,
        [7] = QPMU_TLB_REFILLS,
        [8] = QPMU_BRANCH_MISSES,
        [9] = QPMU_L1D_MISSES,
        [10] = QPMU_L2D_MISSES,
        [11] = QPMU_L2D_WAY,
        [12] = QPMU_INTERVENTION_HITS,
        [13] = QPMU_INVALIDATION_HITS,
        [14] = QPMU_UPGRADE_CLEAN,
        [15] = QPMU_UPGRADE_SHARED,
    },
};

enum qpmu_event qpmu_r10k_event(unsigned counter, unsigned number, bool rev3)
{
    if (counter == 0 && number == 6 && !rev3)
        return QPMU_BRANCHES_DECODED;
    if (counter == 0 && number == 14 && !rev3)
        return QPMU_VIRTUAL_COHERENCY;
    return (enum qpmu_event)r10k_events[counter][number];
}

unsigned qpmu_r10k_mode(uint32_t status)
{
    static const uint8_t ksu_mode[4] = {QPMU_MODE_K, QPMU_MODE_S, QPMU_MODE_U, 0};

    if ((status & 4) != 0) /* ERL */
        return 0;
    if ((status & 2) != 0)
        return QPMU_MODE_EXL;
    return ksu_mode[status >> 3 & 3];
}
