/* SPDX-License-Identifier: BSD-2-Clause */
/* What a PMU's driver needs of x86_64: where an interrupt came. */
#include <arch/pmu.h>
#include <stddef.h>
#include "arch/x86_64/vector.h"

void pmu_slot_describe(struct qpmu_slot *slot)
{
    slot->flags = QPMU_HIGHER_HALF; /* user code lies below (arch/user.h) */
    slot->gates = (uintptr_t)vector_interrupts;
    slot->gates_end = (uintptr_t)vector_table_end;
}

bool pmu_interrupted(uint64_t *pc, bool *user)
{
    const struct interrupt_frame *frame = trap_interrupt_frame(__builtin_frame_address(0));

    if (!frame)
        return false;
    *pc = frame->rip;
    *user = (frame->cs & 3) != 0;
    return true;
}
