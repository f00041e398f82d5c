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
    ring->records = slot->ring;
    ring->size = QPMU_RING;
    ring->head = page_get32(&slot->tail);
    ring->dropped = 0;
    ring->in_flight = false;
    ring->hold = (struct hold){0};
    page_set32(&slot->head, ring->head);
    page_set32(&slot->ring_size, ring->size);
    page_set32(&slot->dropped, 0);
    for (unsigned n = 0; n < QPMU_COUNTERS; n++)
        page_set32(&slot->lost[n], ring->lost[n] = 0);
}

/* A slot of an earlier life of the machine may hold anything by now. */
bool ring_expected(const struct ring *ring)
{
    return ring->slot && page_get32(&ring->slot->magic) == QPMU_MAGIC &&
           page_get32(&ring->slot->flags) & QPMU_RING_NEXT;
}

/* Records that wait, as the guest says; more than the ring holds: rubbish, or a full ring. */
static uint32_t waiting(const struct ring *ring)
{
    return ring->head - page_get32(&ring->slot->tail);
}

void ring_move(struct ring *ring, uint64_t place)
{
    struct qpmu_slot *slot = ring->slot;
    uint32_t size = page_get32(&slot->ring_size), left = waiting(ring);
    struct qpmu_record *records = page_records(place, size);

    page_set32(&slot->flags, page_get32(&slot->flags) & ~QPMU_RING_NEXT);
    if (records && left <= size && left <= ring->size) {
        for (uint32_t n = ring->head - left; n != ring->head; n++)
            records[n & (size - 1)] = ring->records[n & (ring->size - 1)];
        ring->records = records;
        ring->size = size;
    }
    page_set32(&slot->ring_size, ring->size);
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
 * tail: so either it sees the new record, or we see that it has taken all others and tell it. One
 * that is sampled itself may never come to an end with that: so it is told of a ring that fills,
 * too, and then finds many at once. */
void ring_put(struct ring *ring, const struct qpmu_record *record, bool interrupt)
{
    struct qpmu_slot *slot = ring->slot;
    uint32_t before = ring->head;
    bool fuller;

    if (!slot)
        return;
    if (waiting(ring) >= ring->size) {
        hold_failed(&ring->hold, ring->size);
        ring->dropped++;
        page_set32(&slot->dropped, ring->dropped);
        if (record->counter < QPMU_COUNTERS)
            page_set32(&slot->lost[record->counter], ++ring->lost[record->counter]);
    } else {
        fill(&ring->records[before & (ring->size - 1)], record);
        ring->head++;
        page_set32(&slot->head, ring->head);
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    fuller = hold_fuller(&ring->hold, waiting(ring), ring->size);
    if (ring->in_flight && page_get32(&slot->tail) == before)
        ring->in_flight = false;
    if (interrupt && (fuller || !ring->in_flight) && interrupt_there()) {
        ring->in_flight = true;
        interrupt_raise();
    }
    if (fuller)
        hold_back(&ring->hold, ring->in_flight);
}
