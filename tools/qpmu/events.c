/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of raw events. */
#include "tools/qpmu/events.h"

_Static_assert(QPMU_EVENTS <= 64, "a mask of events is a uint64_t");

const struct qpmu_event_info qpmu_event_info[QPMU_EVENTS] = {
#define QPMU_X(event, source, level, what)                                                         \
    [QPMU_##event] = {#event, what, QPMU_##source, QPMU_LEVEL_##level},
    QPMU_EVENT_LIST(QPMU_X)
#undef QPMU_X
};

enum qpmu_level qpmu_events_level(uint64_t mask)
{
    enum qpmu_level level = QPMU_LEVEL_REGISTERS;

    for (unsigned event = 0; event < QPMU_EVENTS; event++) {
        if ((mask >> event & 1) != 0 && qpmu_event_info[event].level > level)
            level = qpmu_event_info[event].level;
    }
    return level;
}

uint64_t qpmu_events_of_level(enum qpmu_level level)
{
    uint64_t mask = 0;

    for (unsigned event = 0; event < QPMU_EVENTS; event++) {
        if (qpmu_event_info[event].level <= level)
            mask |= 1ull << event;
    }
    return mask;
}
