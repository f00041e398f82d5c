/* SPDX-License-Identifier: BSD-2-Clause */
/* The seven architectural events, and what their fields cmask, inv and edge make of them. */
#include "tools/qpmu/x86_msr.h"

#include <stdbool.h>

static enum qpmu_event named(uint64_t select)
{
    switch (select & 0xffff) { /* umask, event */
    case 0x003c:
    case 0x013c: /* reference cycles: the model has one clock */
        return QPMU_CYCLES;
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

/* The cycles in which EVENT occurs. Not those of lookups, of which a cycle may see several. */
static enum qpmu_event cycles_with(enum qpmu_event event)
{
    return event == QPMU_LLC_REFERENCES || event == QPMU_LLC_MISSES ? QPMU_NO_EVENT : event;
}

enum qpmu_event qpmu_x86_event(uint64_t select)
{
    enum qpmu_event event = named(select);
    uint64_t least = select >> X86_EVTSEL_CMASK_SHIFT & 0xff;
    bool below = least != 0 && select & X86_EVTSEL_INV;

    if (event == QPMU_NO_EVENT)
        return event;
    if (least < 2) {
        if (below)
            event = event == QPMU_INSTRUCTIONS ? QPMU_STALLS : QPMU_NO_EVENT;
        else if (least == 1)
            event = cycles_with(event);
    } else /* nothing that an instruction does occurs twice in a cycle */
        event = below && cycles_with(event) != QPMU_NO_EVENT ? QPMU_CYCLES : QPMU_NO_EVENT;
    if (!(select & X86_EVTSEL_EDGE))
        return event;
    if (event == QPMU_CYCLES) /* where it was not so in the cycle before */
        return QPMU_WAKEUPS;
    return least == 0 ? event : QPMU_NO_EVENT;
}

enum qpmu_event qpmu_x86_fixed_event(unsigned fixed)
{
    return fixed == 0 ? QPMU_INSTRUCTIONS : QPMU_CYCLES;
}
