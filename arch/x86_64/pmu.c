/* SPDX-License-Identifier: BSD-2-Clause */
/* What a PMU's driver needs of x86_64: where an interrupt came. */
#include <arch/pmu.h>
#include "arch/x86_64/vector.h"
#include "kernel/thread.h"

void pmu_slot_describe(struct qpmu_slot *slot)
{
    slot->flags = 0;
}

/* The frame of vector.S:interrupt_common has the vector's number where others have their return
 * address. */
bool pmu_interrupted(uint64_t *pc, bool *user)
{
    const uint64_t *frame = __builtin_frame_address(0);

    while (thread_on_stack((uintptr_t)frame) && frame[1] != 0) {
        if (frame[1] < VECTORS) {
            *pc = frame[2];
            *user = (frame[3] & 3) != 0;
            return true;
        }
        if (frame[0] <= (uintptr_t)frame)
            break;
        frame = (const uint64_t *)frame[0];
    }
    return false;
}
