/* SPDX-License-Identifier: BSD-2-Clause */
/* What a PMU's driver needs of MIPS: where Status changes, and where an interrupt came. */
#include <arch/pmu.h>
#include <arch/cpu.h>
#include <sys/pmc.h>
#include <machine/register.h>
#include "arch/mips/vector.h"
#include "kernel/thread/user.h"

#define KSU_SUPERVISOR 1 /* of Status */
#define KSU_USER       2

void (*pmu_mode_hook)(unsigned mode);
struct qpmu_slot *pmu_described;

void pmu_mode(unsigned mode)
{
    if (pmu_described && mode != PMC_MODE_K)
        pmu_described->user_ksu = mode == PMC_MODE_S ? KSU_SUPERVISOR : KSU_USER;
    if (pmu_mode_hook) {
        pmu_mode_hook(mode);
        thread_user_look(cpu_current()); /* no way back may pass by */
    }
}

void pmu_mode_ask(void (*hook)(unsigned mode))
{
    pmu_mode_hook = hook;
    thread_user_look(cpu_current());
}

void pmu_slot_describe(struct qpmu_slot *slot)
{
    uint32_t count = 0;

    pmu_described = slot;
    for (const struct vector_status *site = vector_status_table; site->pc; site++, count++)
        slot->sites[count] = (struct qpmu_site){site->pc, 0, (uint32_t)site->set};
    slot->site_count = count;
    slot->flags = QPMU_SITES_ONLY;
    slot->status = CP0_READ32(12);
    thread_user_look(cpu_current());
}

/* EPC stays until the next exception; a handler's own are TLB refills, for its stack. */
bool pmu_interrupted(uint64_t *pc, bool *user)
{
    *pc = CP0_READ64(14);
    *user = (int64_t)*pc >= 0;
    return true;
}
