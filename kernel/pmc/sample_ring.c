/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/pmc/sample_ring.h"
#include <arch/context.h>
#include <arch/trap.h>
#include <arch/pmu.h>
#include "kernel/cpu/cpu.h"
#include "kernel/memory/page.h"
#include "kernel/thread/thread.h"
#include "kernel/time/clock.h"
#include "kernel/time/timer.h"
#include "lib/section.h"
#include "lib/string.h"

#define RING_ORDER        6
#define RING_ORDER_CHAINS 9 /* with chains, and memory for so much */

/* Of a chain: bit 63, `later`, the depth. Of samples: event, user, how many. */
#define CHAIN(later, depth)   (1ull << 63 | (uint64_t)(later) << 16 | (depth))
#define CALLERS(flags, depth) (1ull << 63 | (uint64_t)(flags) << 18 | 1ull << 17 | (depth))
#define IS_CHAIN(word)        ((word) >> 63)
#define CHAIN_LATER(word)     ((word) >> 16 & 1)
#define CHAIN_EXACT(word)     ((word) >> 17 & 1)
#define CHAIN_FLAGS(word)     ((unsigned)((word) >> 18) & 0xff)
#define CHAIN_DEPTH(word)     ((unsigned)(word) & 0xffff)
#define PLACE(event, user)    ((uint64_t)(event) << 33 | (uint64_t)(user) << 32)
#define PLACE_EVENT(word)     ((unsigned)((word) >> 33))
#define PLACE_USER(word)      ((word) >> 32 & 1)
#define PLACE_COUNT(word)     ((uint32_t)(word))

/* What samples may take of a CPU from one tick to the next: with short periods nothing else would
 * ever run. What they did not take is kept for some ticks, since many may come at once. */
#define SHARE       2 /* one part of so many */
#define SHARE_NS    (CLOCK_TICK_NS / SHARE)
#define SHARE_TICKS 16
/* One sample has its part of that at most: a host may have stopped the CPU meanwhile, which is not
 * the sample's cost. */
#define SHARE_PARTS 64

#define CLOCK_LEAST 20000 /* ns from one sample of the clock to the next */

uintptr_t sample_ring_takers[2];
struct sample_sources sample_sources;
SHARED_BSS struct sample_ring sample_rings[CPU_MAX];

/* Where in the batch a PC was written last: the others are added to it. */
struct known {
    uint32_t at, batch;
};
#define KNOWN_BITS 9
_Static_assert(sizeof(struct known) << KNOWN_BITS == PAGE_SIZE, "a page of them");

bool sample_ring_begin(struct sample_ring *ring, bool chains)
{
    unsigned order = chains ? RING_ORDER_CHAINS : RING_ORDER;

    *ring = (struct sample_ring){
        .known = page_alloc(0), .chains = chains, .share = clock_ns_to_cycles(SHARE_NS)};
    while ((ring->words = page_alloc(order)) == NULL && order > RING_ORDER)
        order--;
    ring->mask = (uint32_t)(PAGE_SIZE << order >> 3) - 1;
    if (ring->words && ring->known)
        memset(ring->known, 0, PAGE_SIZE);
    return ring->words && ring->known;
}

void sample_ring_end(struct sample_ring *ring)
{
    if (ring->words)
        page_free(ring->words);
    if (ring->known)
        page_free(ring->known);
    ring->words = NULL;
    ring->known = NULL;
}

/* The calls go directly into the ring, where there is room for the longest chain. */
static bool sample_ring_keep(void *argument, uintptr_t address)
{
    struct sample_ring *ring = argument;

    ring->words[ring->end++ & ring->mask] = address;
    return ++ring->depth < PMC_SAMPLE_DEPTH && (ring->chains || ring->depth < 1);
}

/*
 * Counters are also looked at outside of interrupts: when a thread leaves the CPU, and when
 * sampling stops. The calls that led there tell little of what came before, but how the thread
 * began does. True if that is so.
 */
static bool sample_ring_walk_chain(struct sample_ring *ring)
{
    const struct thread *thread = cpu_here.leaving ? cpu_here.leaving : cpu_here.current;

    trap_backtrace_interrupted(sample_ring_keep, ring);
    if (ring->depth > 0 || cpu_here.in_handler)
        return false;
    if (thread && thread->entry && sample_ring_keep(ring, (uintptr_t)thread->entry))
        (void)sample_ring_keep(ring, (uintptr_t)thread_start);
    return true;
}

static bool sample_ring_has_room(const struct sample_ring *ring, uint32_t words)
{
    return ring->mask + 1 - (ring->end - ring->tail) >= words;
}

static uint32_t sample_ring_hash(uintptr_t pc, const struct qpmu_callers *callers)
{
    uint32_t hash = (uint32_t)(pc >> 1) ^ (callers ? (uint32_t)callers->hash : 0);

    return hash * 0x9e3779b1u >> (32 - KNOWN_BITS);
}

/* Whether the words from AT on are these. */
static bool sample_ring_is(const struct sample_ring *ring, uint32_t at, uint64_t place,
                           uintptr_t pc, const struct qpmu_callers *callers)
{
    if (callers && (ring->words[at & ring->mask] != CALLERS(callers->flags, callers->count) ||
                    ring->words[(at + 1) & ring->mask] != callers->hash))
        return false;
    if (callers)
        at += 2 + callers->count;
    return (ring->words[at & ring->mask] ^ place) >> 32 == 0 &&
           ring->words[(at + 1) & ring->mask] == pc;
}

static uint32_t sample_ring_write(struct sample_ring *ring, uint32_t at,
                                  const struct qpmu_callers *callers)
{
    ring->words[at++ & ring->mask] = CALLERS(callers->flags, callers->count);
    ring->words[at++ & ring->mask] = callers->hash;
    for (uint32_t i = 0; i < callers->count; i++)
        ring->words[at++ & ring->mask] =
            ring->caller_words[(callers->first + i) & ring->caller_mask];
    return at;
}

void sample_ring_put(struct sample_ring *ring, int event, bool user, uintptr_t pc)
{
    const struct qpmu_callers *callers =
        ring->chains && ring->callers && ring->callers->count <= PMC_SAMPLE_DEPTH ? ring->callers
                                                                                  : NULL;
    uint32_t depth = callers ? callers->count + 2 : 0, at = ring->end;
    struct known *known = &ring->known[sample_ring_hash(pc, callers)];
    uint64_t place = PLACE(event, user);
    bool open = ring->batch == BATCH_OPEN;

    if (open && known->batch == ring->number &&
        sample_ring_is(ring, known->at, place, pc, callers)) {
        ring->words[(known->at + depth) & ring->mask]++;
    } else if (open && sample_ring_has_room(ring, depth + 2)) {
        *known = (struct known){at, ring->number};
        if (callers)
            at = sample_ring_write(ring, at, callers);
        ring->words[at++ & ring->mask] = place + 1;
        ring->words[at++ & ring->mask] = pc;
        ring->end = at;
    } else {
        ring->counts.overflow++;
        return;
    }
    ring->taken++;
    ring->counts.sample++;
}

bool sample_ring_take(struct sample_ring *ring, struct pmc_taken *out)
{
    uint32_t at = ring->tail;
    uint64_t header;

    if (at == __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE))
        return false;
    header = ring->words[at++ & ring->mask];
    out->another = IS_CHAIN(header);
    while (IS_CHAIN(header)) { /* the batch's, and its first place's */
        out->later = CHAIN_LATER(header);
        out->exact = CHAIN_EXACT(header);
        out->whole = CHAIN_FLAGS(header) & QPMU_CALLERS_WHOLE;
        out->cut = CHAIN_FLAGS(header) & QPMU_CALLERS_CUT;
        out->depth = CHAIN_DEPTH(header);
        if (out->exact)
            out->hash = ring->words[at++ & ring->mask];
        for (unsigned i = 0; i < out->depth; i++)
            out->chain[i] = ring->words[at++ & ring->mask];
        header = ring->words[at++ & ring->mask];
    }
    out->event = PLACE_EVENT(header);
    out->user = PLACE_USER(header);
    out->count = PLACE_COUNT(header);
    out->pc = ring->words[at++ & ring->mask];
    __atomic_store_n(&ring->tail, at, __ATOMIC_RELEASE);
    return true;
}

/* False if samples have had their share. */
static bool sample_ring_may_spend(struct sample_ring *ring)
{
    if (ring->tick != cpu_here.clock.next_tick) {
        uint64_t given = (cpu_here.clock.next_tick - ring->tick) / SHARE;

        ring->tick = cpu_here.clock.next_tick;
        ring->spent -= given < ring->spent ? given : ring->spent;
    }
    return ring->spent < SHARE_TICKS * ring->share;
}

/* Its header is written when the chain is known. */
void sample_ring_open(struct sample_ring *ring, bool clock)
{
    uint32_t header = ring->head;
    bool later = false;

    ring->end = header;
    ring->depth = 0;
    ring->batch = BATCH_REFUSED;
    if (!sample_ring_may_spend(ring) || !sample_ring_has_room(ring, PMC_SAMPLE_DEPTH + 4))
        return;
    ring->batch = BATCH_OPEN;
    ring->start = cycles_now();
    ring->number++;
    ring->taken = 0;
    ring->end++;
    if (clock)
        trap_backtrace_interrupted(sample_ring_keep, ring);
    else if (ring->chains && !ring->callers)
        later = sample_ring_walk_chain(ring);
    ring->words[header & ring->mask] = CHAIN(later, ring->depth);
}

void sample_ring_close(struct sample_ring *ring)
{
    uint64_t part = ring->share / SHARE_PARTS, most = part + part / SHARE_PARTS * ring->taken;

    if (ring->batch == BATCH_OPEN) {
        uint64_t cost = cycles_between(ring->start, cycles_now());

        ring->spent += cost < most ? cost : most;
        if (ring->taken != 0) /* else the header stands for nothing: the first found no room */
            __atomic_store_n(&ring->head, ring->end, __ATOMIC_RELEASE);
    }
    ring->batch = BATCH_NONE;
}

/* The innermost of the batch's chain; 0: it has none. */
static uintptr_t sample_ring_innermost(const struct sample_ring *ring)
{
    return ring->depth != 0 ? ring->words[(ring->head + 1) & ring->mask] : 0;
}

void sample_rings_end(void)
{
    struct sample_ring *ring = &sample_rings[cpu_here.id];

    ring->several = false;
    if (ring->batch != BATCH_NONE)
        sample_ring_close(ring);
}

void sample_rings_callers(const struct qpmu_callers *callers, const uint64_t *words, uint32_t mask)
{
    struct sample_ring *ring = &sample_rings[cpu_here.id];

    ring->callers = callers;
    ring->caller_words = words;
    ring->caller_mask = mask;
}

void sample_ring_overflow(const struct pmc_sample *sample)
{
    struct sample_ring *ring = &sample_rings[sample->cpu];
    int event = sample_sources.event_of[sample->ctr];

    if (!sample_sources.on || event < 0)
        return;
    if (!sample->known) {
        uint64_t *count =
            ring->batch == BATCH_REFUSED ? &ring->counts.overflow : &ring->counts.lost;

        *count += sample->count;
        return;
    }
    if (ring->batch == BATCH_NONE)
        sample_ring_open(ring, false);
    sample_ring_put(ring, event, sample->user, sample->pc);
    if (!ring->several)
        sample_ring_close(ring);
}

void sample_ring_clock_due(struct timer *timer)
{
    struct sample_ring *ring = &sample_rings[cpu_here.id];
    uint64_t period = sample_sources.clock_period, now = clock_now();
    uint64_t next = clock_after(timer_deadline(timer), period);

    if (!sample_sources.on)
        return;
    sample_ring_open(ring, true);
    sample_ring_put(ring, sample_sources.clock_event, false, sample_ring_innermost(ring));
    sample_ring_close(ring);
    if (next < now + CLOCK_LEAST) { /* late, or too short a period */
        uint64_t missed = (now + CLOCK_LEAST - next) / period + 1;

        ring->counts.lost += missed;
        next += missed * period;
    }
    timer_set(timer, next, sample_ring_clock_due);
}
