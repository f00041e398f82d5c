/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Puts records of overflows into the guest's ring. The guest owns `tail`, which may be rubbish:
 * then the ring counts as full.
 */
#include "tools/qpmu/plugin/ring.h"

#include "tools/qpmu/plugin/page.h"

#include <string.h>

void ring_open(struct ring *ring, struct qpmu_slot *slot)
{
    ring->slot = slot;
    ring->records = slot->ring;
    ring->size = QPMU_RING;
    ring->callers = 0;
    ring->head = page_get32(&slot->tail);
    ring->dropped = 0;
    ring->in_flight = false;
    ring->hold = (struct hold){0};
    page_set32(&slot->head, ring->head);
    page_set32(&slot->ring_size, ring->size);
    page_set32(&slot->ring_words, 0);
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

bool ring_expects_stack(struct ring *ring)
{
    struct qpmu_slot *slot = ring->slot;

    if (!slot || page_get32(&slot->magic) != QPMU_MAGIC ||
        !(page_get32(&slot->flags) & QPMU_STACK_NEXT))
        return false;
    page_set32(&slot->flags, page_get32(&slot->flags) & ~QPMU_STACK_NEXT);
    return true;
}

void ring_tell(const struct ring *ring, uint64_t counted, bool following)
{
    page_set64(&ring->slot->counted, counted);
    page_set32(&ring->slot->following, following);
}

/* Records that wait, as the guest says; more than the ring holds: rubbish, or a full ring. */
static uint32_t waiting(const struct ring *ring)
{
    return ring->head - page_get32(&ring->slot->tail);
}

/* Bytes of a record where there are so many words for callers. */
static uint32_t stride_of(uint32_t words)
{
    return sizeof(struct qpmu_record) + (words ? sizeof(struct qpmu_callers) : 0);
}

static struct qpmu_record *record_at(const struct ring *ring, uint32_t n)
{
    size_t at = (size_t)stride_of(ring->callers) * (n & (ring->size - 1));

    return (struct qpmu_record *)(void *)((char *)ring->records + at);
}

static struct qpmu_callers *callers_of(struct qpmu_record *record)
{
    return (struct qpmu_callers *)(record + 1);
}

/* What moves comes without callers. */
void ring_move(struct ring *ring, uint64_t place)
{
    struct qpmu_slot *slot = ring->slot;
    uint32_t words = page_get32(&slot->ring_words), left = waiting(ring);
    struct ring next = {.size = page_get32(&slot->ring_size), .callers = words};
    bool power = (words & (words - 1)) == 0 && (words == 0 || words >= QPMU_WORDS_LEAST);

    next.records = power ? page_records(place, next.size, stride_of(words), words) : NULL;
    page_set32(&slot->flags, page_get32(&slot->flags) & ~QPMU_RING_NEXT);
    if (next.records && left <= next.size && left <= ring->size) {
        for (uint32_t n = ring->head - left; n != ring->head; n++) {
            *record_at(&next, n) = *record_at(ring, n);
            if (words)
                *callers_of(record_at(&next, n)) = (struct qpmu_callers){0};
        }
        ring->records = next.records;
        ring->size = next.size;
        __atomic_store_n(&ring->callers, words, __ATOMIC_RELAXED);
        memset(&ring->next, 0, sizeof(ring->next));
        ring->next.words =
            (uint64_t *)(void *)((char *)ring->records + (size_t)stride_of(words) * ring->size);
    }
    page_set32(&slot->ring_size, ring->size);
    page_set32(&slot->ring_words, ring->callers);
}

/* Each step can be undone, so different words make different sums, but by chance (the constants are
 * of splitmix64). */
static uint64_t hash_of(const struct callers *next)
{
    uint64_t hash = (uint64_t)next->flags << 32 | next->count;

    for (uint32_t i = 0; i < next->count; i++) {
        hash = (hash ^ next->at[i]) * 0xbf58476d1ce4e5b9ull;
        hash = (hash ^ hash >> 29) * 0x94d049bb133111ebull;
        hash ^= hash >> 32;
    }
    return hash;
}

/*
 * A record's words begin at most half of all words before `head` as of then; and so many at most
 * are written while a record waits. So what waits is never overwritten, and callers that were
 * written not long ago need not be written again. WAITS: the oldest record that waits, or NULL.
 */
static void fill_callers(struct ring *ring, struct qpmu_callers *to, struct qpmu_record *waits)
{
    struct callers *next = &ring->next;
    uint64_t hash = hash_of(next);
    uint32_t half = ring->callers / 2, head = next->head, first = head;
    __typeof__(next->recent[0]) *recent = &next->recent[hash % 1024];

    if (recent->hash == hash && recent->count == next->count && head - recent->first <= half)
        first = recent->first;
    else if (head + next->count - (waits ? page_get32(&callers_of(waits)->head) : head) > half) {
        next->count = 0;
        next->flags = QPMU_CALLERS_CUT;
        hash = hash_of(next);
    } else {
        for (uint32_t i = 0; i < next->count; i++)
            page_set64(&next->words[next->head++ & (ring->callers - 1)], next->at[i]);
        *recent = (__typeof__(*recent)){hash, first, next->count};
    }
    page_set64(&to->hash, hash);
    page_set32(&to->first, first);
    page_set32(&to->head, head);
    page_set32(&to->count, next->count);
    page_set32(&to->flags, next->flags);
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
        struct qpmu_record *to = record_at(ring, before);

        fill(to, record);
        if (ring->callers)
            fill_callers(ring, callers_of(to),
                         waiting(ring) ? record_at(ring, before - waiting(ring)) : NULL);
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
