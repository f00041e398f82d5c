/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Puts records of overflows into the guest's ring. The guest owns `tail`, which may be rubbish:
 * then the ring counts as full.
 */
#include "tools/qpmu/plugin/ring.h"

#include "tools/qpmu/plugin/page.h"

void ring_open(struct ring *ring, struct qpmu_slot *slot)
{
    ring->slot = slot;
    ring->head = page_get32(&slot->tail);
    ring->dropped = 0;
    ring->in_flight = false;
    page_set32(&slot->head, ring->head);
    page_set32(&slot->dropped, 0);
    for (unsigned n = 0; n < QPMU_COUNTERS; n++)
        page_set32(&slot->lost[n], ring->lost[n] = 0);
}

static void fill(struct qpmu_record *to, const struct qpmu_record *from)
{
    page_set64(&to->pc, from->pc);
    page_set64(&to->value, from->value);
    page_set32(&to->counter, from->counter);
    page_set16(&to->mode, from->mode);
    page_set16(&to->cpu, from->cpu);
    page_set64(&to->instructions, from->instructions);
}

/* The guest stores its tail and then looks at head once more; we store head and then look at its
 * tail: so either it sees the new record, or we see that it has taken all others and tell it. */
void ring_put(struct ring *ring, const struct qpmu_record *record, bool interrupt)
{
    struct qpmu_slot *slot = ring->slot;
    uint32_t before = ring->head;

    if (!slot)
        return;
    if (before - page_get32(&slot->tail) >= QPMU_RING) {
        ring->dropped++;
        page_set32(&slot->dropped, ring->dropped);
        if (record->counter < QPMU_COUNTERS)
            page_set32(&slot->lost[record->counter], ++ring->lost[record->counter]);
    } else {
        fill(&slot->ring[before % QPMU_RING], record);
        ring->head++;
        page_set32(&slot->head, ring->head);
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (ring->in_flight && page_get32(&slot->tail) == before)
        ring->in_flight = false;
    if (interrupt && !ring->in_flight && interrupt_there()) {
        ring->in_flight = true;
        interrupt_raise();
    }
}
