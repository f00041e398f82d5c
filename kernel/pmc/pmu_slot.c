/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots and rings; see pmu_slot.h. */
#include "kernel/pmc/pmu_slot.h"
#include <arch/interrupt_flag.h>
#include <arch/memory.h>
#include "kernel/cpu/cross_call.h"
#include "kernel/base/boot_word.h"
#include "kernel/base/log.h"
#include "kernel/memory/page.h"
#include "kernel/pmc/pmu_stacks.h"
#include "kernel/thread/thread.h"
#include "lib/section.h"
#include "lib/string.h"

#define SLOT_ORDER 3 /* pages of a slot, as a power of two */
_Static_assert(sizeof(struct qpmu_slot) <= MEMORY_PAGE << SLOT_ORDER, "SLOT_ORDER");
_Static_assert(sizeof(struct qpmu_slot) == QPMU_SLOT_SIZE, "qpmu.h");

struct qpmu_slot pmu_first_slot SHARED_BSS __attribute__((aligned(4096)));
SHARED_BSS struct qpmu_slot *pmu_slots[CPU_MAX];

/* Rings of our own, while somebody samples: overflows of some ticks at a period of 1,000. */
#define RING_ORDER_MOST    7
#define RING_ORDER_LEAST   4
#define RING_ORDER_CALLERS 2 /* more: as much again for the records, and twice that for words */
#define RING_MEMORY        8 /* of what memory is free, they take one part of so many */

/* How long it may take until calls are followed. */
#define FOLLOW_TRIES 200
#define FOLLOW_NS    1000000u

/* By its CPU, interrupts off. */
static SHARED_BSS struct pmu_records own_rings[CPU_MAX]; /* first NULL: the slot's */

BOOT_WORD(pmu, "pmu", "direct", "drive the CPU's counters as on hardware, though qpmu is there");

bool pmu_slot_unwanted(void)
{
    const char *word = boot_word_value("pmu");

    return word && !strcmp(word, "direct");
}

bool pmu_slot_boot(void)
{
    struct qpmu_slot *slot = &pmu_first_slot;

    if (pmu_slot_unwanted())
        return false;
    if (!pmu_hypercall(slot) || slot->version != QPMU_VERSION)
        return false;
    pmu_slots[0] = slot;
    return true;
}

/* Each CPU makes its own hypercall; the first for the second time, with the description that
 * start-up had no time for. */
static void pmu_slot_hypercall_here(void *slots)
{
    unsigned cpu = cpu_here.id;
    struct qpmu_slot *slot = ((struct qpmu_slot **)slots)[cpu];

    pmu_slot_describe(slot);
    if (pmu_hypercall(slot))
        pmu_slots[cpu] = slot;
}

bool pmu_slot_start(void)
{
    struct qpmu_slot *slots[CPU_MAX] = {&pmu_first_slot};

    cross_call_one(0, pmu_slot_hypercall_here, slots);
    for (unsigned cpu = 1; cpu < CPU_MAX && cpu < cpu_count(); cpu++) {
        slots[cpu] = page_alloc(SLOT_ORDER);
        if (slots[cpu]) {
            memset(slots[cpu], 0, sizeof *slots[cpu]);
            cross_call_one(cpu, pmu_slot_hypercall_here, slots);
        }
        if (!pmu_slots[cpu]) {
            log_printf("pmu: no slot for CPU %u, so no hardware PMU", cpu);
            return false;
        }
    }
    return true;
}

/* Interrupts off. A ring that lies nowhere stays where it was. */
static void pmu_slot_use_ring(void *ring)
{
    const struct pmu_records *wanted = ring;
    struct qpmu_slot *slot = pmu_slot_here();

    PMU_SLOT(slot, ring_size) = wanted->size;
    if (slot->features & QPMU_CALLERS)
        PMU_SLOT(slot, ring_words) = wanted->words;
    PMU_SLOT(slot, flags) = slot->flags | QPMU_RING_NEXT;
    (void)pmu_hypercall((struct qpmu_slot *)wanted->first);
    if (PMU_SLOT(slot, ring_size) == wanted->size)
        own_rings[cpu_here.id] = *wanted;
}

static struct pmu_records pmu_slot_make_ring(unsigned order, bool callers)
{
    const uint32_t record = sizeof(struct qpmu_record), with = sizeof(struct qpmu_callers);
    uint32_t bytes = (uint32_t)PAGE_SIZE << order;

    return callers ? (struct pmu_records){page_alloc(order), bytes / 2 / (record + with),
                                          bytes / 2 / 8, record + with}
                   : (struct pmu_records){page_alloc(order), bytes / record, 0, record};
}

/* Calls are followed from some moment on; a CPU that computes sees it at once. */
static void pmu_slot_follow(void)
{
    for (unsigned tries = 0; tries < FOLLOW_TRIES; tries++) {
        if (PMU_SLOT(&pmu_first_slot, following)) {
            pmu_stacks_tell();
            return;
        }
        (void)thread_sleep(FOLLOW_NS);
    }
}

void pmu_slot_rings_enlarge(bool callers)
{
    unsigned more = callers && pmu_first_slot.features & QPMU_CALLERS ? RING_ORDER_CALLERS : 0;
    unsigned order = RING_ORDER_MOST + more;
    struct page_stats memory;

    if (!pmu_slots[0] || !(pmu_first_slot.features & QPMU_OWN_RINGS))
        return;
    page_stats_get(&memory);
    while (order >= RING_ORDER_LEAST && (uint64_t)cpu_count() << order > memory.free / RING_MEMORY)
        order--;
    for (unsigned cpu = 0; order >= RING_ORDER_LEAST && cpu < cpu_count(); cpu++) {
        struct pmu_records ring;

        if (own_rings[cpu].first || !pmu_slots[cpu])
            continue;
        ring = pmu_slot_make_ring(order, more != 0);
        if (!ring.first)
            continue;
        cross_call_one(cpu, pmu_slot_use_ring, &ring);
        if (own_rings[cpu].first != ring.first)
            page_free(ring.first);
    }
    if (more != 0)
        pmu_slot_follow();
}

/* One that is still needed, because more records wait than the slot has room for, stays. */
void pmu_slot_rings_restore(void)
{
    for (unsigned cpu = 0; cpu < CPU_MAX && cpu < cpu_count(); cpu++) {
        struct qpmu_record *old = own_rings[cpu].first;
        struct pmu_records ring = {.size = QPMU_RING, .stride = sizeof(struct qpmu_record)};

        if (!old)
            continue;
        ring.first = pmu_slots[cpu]->ring;
        cross_call_one(cpu, pmu_slot_use_ring, &ring);
        if (own_rings[cpu].first == old)
            continue;
        own_rings[cpu].first = NULL;
        page_free(old);
    }
}

struct pmu_records pmu_slot_records(void)
{
    if (own_rings[cpu_here.id].first)
        return own_rings[cpu_here.id];
    return (struct pmu_records){pmu_slot_here()->ring, QPMU_RING, 0, sizeof(struct qpmu_record)};
}

void pmu_slot_reload(unsigned n, bool on, uint64_t value)
{
    struct qpmu_slot *slot = pmu_slot_here();

    PMU_SLOT(slot, reload[n]) = value;
    PMU_SLOT(slot, reload_on) = (slot->reload_on & ~(1u << n)) | (uint32_t)on << n;
}
