/* SPDX-License-Identifier: BSD-2-Clause */
/* What a PMU's driver needs of MIPS: where Status changes, and where an interrupt came. */
#include <arch/pmu.h>
#include <arch/cpu.h>
#include <machine/register.h>
#include "arch/mips/vector.h"

void pmu_slot_describe(struct qpmu_slot *slot)
{
    uint32_t count = 0;

    for (const struct vector_status *site = vector_status_table; site->pc; site++, count++)
        slot->sites[count] = (struct qpmu_site){site->pc, 0, (uint32_t)site->set};
    slot->site_count = count;
    slot->flags = QPMU_SITES_ONLY;
    slot->status = CP0_READ32(12);
}

/* EPC stays until the next exception; a handler's own are TLB refills, for its stack. */
bool pmu_interrupted(uint64_t *pc, bool *user)
{
    *pc = CP0_READ64(14);
    *user = (int64_t)*pc >= 0;
    return true;
}
