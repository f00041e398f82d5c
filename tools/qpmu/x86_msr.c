/* SPDX-License-Identifier: BSD-2-Clause */
/* The seven architectural events. */
#include "tools/qpmu/x86_msr.h"

enum qpmu_event qpmu_x86_event(uint64_t select)
{
    if ((select & X86_EVTSEL_CMASK) != 0)
        return QPMU_NO_EVENT;
    switch (select & 0xffff) { /* umask, event */
    case 0x003c:
    case 0x013c: /* reference cycles: the model has one clock */
        return (select & X86_EVTSEL_EDGE) != 0 ? QPMU_WAKEUPS : QPMU_CYCLES;
    case 0x00c0:
        return QPMU_INSTRUCTIONS;
    case 0x4f2e:
        return QPMU_LLC_REFERENCES;
    case 0x412e:
        return QPMU_LLC_MISSES;
    case 0x00c4:
        return QPMU_BRANCHES_ALL;
    case 0x00c5:
        return QPMU_BRANCH_MISSES;
    default:
        return QPMU_NO_EVENT;
    }
}

enum qpmu_event qpmu_x86_fixed_event(unsigned fixed)
{
    return fixed == 0 ? QPMU_INSTRUCTIONS : QPMU_CYCLES;
}
