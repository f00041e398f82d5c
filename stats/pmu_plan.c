/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See pmu_plan.h. Each turn is a matching between events and counters, grown along augmenting
 * paths: an event that has got a counter may move to another, but never loses it. First come those
 * that have not yet had a turn, then the others.
 */
#include "stats/pmu_plan.h"

#include <stdbool.h>

struct matching {
    const struct pmu_event_request *requests;
    uint32_t free, tried;
    int holder[PMC_COUNTERS_MAX]; /* event, -1: none */
    struct pmu_place *place;
};

/* Counter N of the class in EVENT's choice C, as a number of the whole system; -1: it cannot. */
static int counter_of(const struct matching *m, int event, unsigned c, unsigned n)
{
    const struct pmu_event_request *request = &m->requests[event];
    int counter = request->base + (int)n;

    if (counter >= PMC_COUNTERS_MAX || (request->counter >= 0 && counter != request->counter) ||
        !(request->choices[c]->counters >> n & 1) || !(m->free >> counter & 1) ||
        (m->tried >> counter & 1))
        return -1;
    return counter;
}

/* Takes a counter for EVENT: one that nobody has, or, if MOVE, one whose holder finds another. */
static bool place(struct matching *m, int event, bool move)
{
    const struct pmu_event_request *request = &m->requests[event];

    for (unsigned c = 0; c < request->choice_count; c++) {
        for (unsigned n = 0; n < request->class->counters; n++) {
            int counter = counter_of(m, event, c, n);

            if (counter < 0 || (m->holder[counter] >= 0 && !move))
                continue;
            m->tried |= 1u << counter;
            if (m->holder[counter] < 0 || place(m, m->holder[counter], false) ||
                place(m, m->holder[counter], true)) {
                m->holder[counter] = event;
                m->place[event] = (struct pmu_place){counter, request->choices[c]->code};
                return true;
            }
        }
    }
    return false;
}

static bool is_counted(const struct pmu_event_request *request)
{
    return request->kind == PMU_EVENT_COUNTED && request->choice_count > 0;
}

/* One turn: first those of FIRST, then the others. Returns all that have a place. */
static uint32_t fill(struct matching *m, unsigned count, uint32_t first)
{
    uint32_t placed = 0;

    for (unsigned n = 0; n < PMC_COUNTERS_MAX; n++)
        m->holder[n] = -1;
    for (unsigned e = 0; e < count; e++)
        m->place[e].counter = -1;
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned e = 0; e < count; e++) {
            if ((first >> e & 1) == round || !is_counted(&m->requests[e]))
                continue;
            m->tried = 0;
            if (place(m, (int)e, false) || place(m, (int)e, true))
                placed |= 1u << e;
        }
    }
    return placed;
}

int pmu_plan_make(struct pmu_plan *plan, const struct pmu_event_request *requests, unsigned count,
                  uint32_t free)
{
    struct matching m = {.requests = requests, .free = free};
    uint32_t left = 0;

    for (unsigned e = 0; e < count; e++)
        if (is_counted(&requests[e]))
            left |= 1u << e;
    for (plan->turns = 0; left != 0; plan->turns++) {
        uint32_t placed;

        m.place = plan->place[plan->turns];
        placed = fill(&m, count, left);
        if ((placed & left) == 0)
            return __builtin_ctz(left);
        left &= ~placed;
    }
    return -1;
}
