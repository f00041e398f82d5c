/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See pmu_plan.h. Each slice is a matching between events and counters, grown along augmenting
 * paths: an event that has got a counter may move to another, but never loses it. The order is that
 * in which they have waited: who had this slice goes behind those who had not. Soon that order
 * comes back, and what lies between is the plan. It begins there where those that were named first
 * have their slice.
 */
#include "stats/read/pmu_plan.h"

#include <stdbool.h>
#include "lib/string.h"

#define SETTLED 32 /* slices after which the order is one that comes back; 17 were seen */

struct matching {
    const struct pmu_event_request *requests;
    uint32_t free, tried;
    int holder[PMC_COUNTERS_MAX]; /* event, -1: none */
    struct pmu_plan_slot *slot;
};

/* Events of one class, those that have waited longest first. */
struct queue {
    unsigned count;
    uint8_t event[PMU_EVENTS_MAX];
};

/* Counter N of the class in EVENT's choice C, as a number of the whole system; -1: it cannot. */
static int pmu_plan_counter_of(const struct matching *m, int event, unsigned c, unsigned n)
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
static bool pmu_plan_assign(struct matching *m, int event, bool move)
{
    const struct pmu_event_request *request = &m->requests[event];

    for (unsigned c = 0; c < request->choice_count; c++) {
        for (unsigned n = 0; n < request->class->counters; n++) {
            int counter = pmu_plan_counter_of(m, event, c, n);

            if (counter < 0 || (m->holder[counter] >= 0 && !move))
                continue;
            m->tried |= 1u << counter;
            if (m->holder[counter] < 0 || pmu_plan_assign(m, m->holder[counter], false) ||
                pmu_plan_assign(m, m->holder[counter], true)) {
                m->holder[counter] = event;
                m->slot[event] = (struct pmu_plan_slot){(int8_t)counter, (uint8_t)c};
                return true;
            }
        }
    }
    return false;
}

static bool pmu_plan_is_counted(const struct pmu_event_request *request)
{
    return request->kind == PMU_EVENT_COUNTED && request->choice_count > 0;
}

static void pmu_plan_clear(struct matching *m, const struct queue *queue,
                           struct pmu_plan_slot *slot)
{
    m->slot = slot;
    for (unsigned n = 0; n < PMC_COUNTERS_MAX; n++)
        m->holder[n] = -1;
    for (unsigned i = 0; i < queue->count; i++)
        slot[queue->event[i]] = (struct pmu_plan_slot){.counter = -1};
}

static bool pmu_plan_assign_any(struct matching *m, int event)
{
    m->tried = 0;
    return pmu_plan_assign(m, event, false) || pmu_plan_assign(m, event, true);
}

/* One slice: those that get a counter, who then go to the end of the queue. */
static uint32_t pmu_plan_choose(struct matching *m, struct queue *queue)
{
    struct pmu_plan_slot slot[PMU_EVENTS_MAX];
    struct queue behind = {.count = 0};
    unsigned before = 0;
    uint32_t placed = 0;

    pmu_plan_clear(m, queue, slot);
    for (unsigned i = 0; i < queue->count; i++) {
        uint8_t event = queue->event[i];

        if (pmu_plan_assign_any(m, event)) {
            placed |= 1u << event;
            behind.event[behind.count++] = event;
        } else {
            queue->event[before++] = event;
        }
    }
    memcpy(&queue->event[before], behind.event, behind.count);
    return placed;
}

/* Gives CHOSEN their counters. Who has had one in the slice LAST (NULL: there was none) keeps it if
 * that can be: it need not be programmed anew. */
static void pmu_plan_settle(struct matching *m, const struct queue *queue, uint32_t chosen,
                            struct pmu_plan_slot *slot, const struct pmu_plan_slot *last)
{
    pmu_plan_clear(m, queue, slot);
    for (unsigned e = 0; last != NULL && e < PMU_EVENTS_MAX; e++) {
        if (!(chosen >> e & 1) || last[e].counter < 0)
            continue;
        slot[e] = last[e];
        m->holder[last[e].counter] = (int)e;
    }
    for (unsigned e = 0; e < PMU_EVENTS_MAX; e++)
        if (chosen >> e & 1 && slot[e].counter < 0)
            (void)pmu_plan_assign_any(m, (int)e);
}

/* Whether A has an event that was named before all those that only B has. */
static bool pmu_plan_is_before(uint32_t a, uint32_t b)
{
    uint32_t differ = a ^ b;

    return (a & differ & -differ) != 0;
}

/* The events of each slice until they come back; the number of slices. */
static unsigned pmu_plan_find_slices(struct matching *m, struct queue *queue,
                                     uint32_t slices[PMU_SLICES_MAX])
{
    struct queue start = *queue;
    unsigned count = 0;

    slices[0] = pmu_plan_choose(m, queue);
    if (memcmp(queue, &start, sizeof start) == 0)
        return 1; /* there was a place for all */
    for (unsigned i = 0; i < SETTLED; i++)
        (void)pmu_plan_choose(m, queue);
    start = *queue;
    do
        slices[count++] = pmu_plan_choose(m, queue);
    while (count < PMU_SLICES_MAX && memcmp(queue, &start, sizeof start) != 0);
    return count;
}

static void plan_class(struct pmu_plan *plan, struct matching *m, struct queue *queue)
{
    uint32_t slices[PMU_SLICES_MAX];
    unsigned count = pmu_plan_find_slices(m, queue, slices), first = 0;

    for (unsigned slice = 1; slice < count; slice++)
        if (pmu_plan_is_before(slices[slice], slices[first]))
            first = slice;
    for (unsigned slice = 0; slice < count; slice++)
        pmu_plan_settle(m, queue, slices[(first + slice) % count], plan->slot[slice],
                        slice > 0 ? plan->slot[slice - 1] : NULL);
    for (unsigned i = 0; i < queue->count; i++)
        plan->period[queue->event[i]] = (uint8_t)count;
    if (plan->slices < count)
        plan->slices = count;
}

/* The events that EVENT competes with, itself included. */
static uint32_t pmu_plan_class_of(const struct pmu_event_request *requests, unsigned count,
                                  unsigned event, struct queue *queue)
{
    uint32_t mask = 0;

    *queue = (struct queue){.count = 0};
    for (unsigned e = 0; e < count; e++) {
        if (!pmu_plan_is_counted(&requests[e]) || requests[e].class != requests[event].class)
            continue;
        queue->event[queue->count++] = (uint8_t)e;
        mask |= 1u << e;
    }
    return mask;
}

int pmu_plan_make(struct pmu_plan *plan, const struct pmu_event_request *requests, unsigned count,
                  uint32_t free)
{
    struct matching m = {.requests = requests, .free = free};
    struct pmu_plan_slot alone[PMU_EVENTS_MAX];
    struct queue queue = {.count = 0};
    uint32_t done = 0;

    plan->slices = 0;
    for (unsigned e = 0; e < count; e++) {
        plan->period[e] = 1;
        plan->slot[0][e].counter = -1;
        pmu_plan_clear(&m, &queue, alone);
        if (pmu_plan_is_counted(&requests[e]) && !pmu_plan_assign_any(&m, (int)e))
            return (int)e;
    }
    for (unsigned e = 0; e < count; e++) {
        if (done >> e & 1 || !pmu_plan_is_counted(&requests[e]))
            continue;
        done |= pmu_plan_class_of(requests, count, e, &queue);
        plan_class(plan, &m, &queue);
    }
    return -1;
}

struct pmu_assignment pmu_plan_assignment(const struct pmu_plan *plan,
                                          const struct pmu_event_request *requests, unsigned slice,
                                          unsigned event)
{
    const struct pmu_plan_slot *slot = &plan->slot[slice % plan->period[event]][event];

    if (slot->counter < 0)
        return (struct pmu_assignment){.counter = -1};
    return (struct pmu_assignment){slot->counter, requests[event].choices[slot->choice]->code};
}
