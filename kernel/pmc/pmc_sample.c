/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples: see pmc_sample.h. A ring has one writer, interrupts of its CPU with further ones off,
 * and one reader. It holds batches of samples that were found at once: a header and the chain, and
 * for each place a header and the PC, in words of 64 bits. The reader sees whole batches.
 */
#include "kernel/pmc/pmc_sample.h"
#include <arch/context.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <sys/pmc.h>
#include "kernel/time/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cross_call.h"
#include "kernel/memory/page.h"
#include "kernel/pmc/pmu_slot.h"
#include "kernel/thread/thread.h"
#include "kernel/time/timer.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "stats/pmc/pmu_owner.h"

#define RING_ORDER 6
#define RING_WORDS (PAGE_SIZE << RING_ORDER >> 3)

/* Of a chain: bit 63, `later`, the depth. Of samples: event, user, how many. */
#define CHAIN(later, depth) (1ull << 63 | (uint64_t)(later) << 16 | (depth))
#define IS_CHAIN(word)      ((word) >> 63)
#define CHAIN_LATER(word)   ((word) >> 16 & 1)
#define CHAIN_DEPTH(word)   ((unsigned)(word) & 0xffff)
#define PLACE(event, user)  ((uint64_t)(event) << 33 | (uint64_t)(user) << 32)
#define PLACE_EVENT(word)   ((unsigned)((word) >> 33))
#define PLACE_USER(word)    ((word) >> 32 & 1)
#define PLACE_COUNT(word)   ((uint32_t)(word))

#define CLOCK_LEAST 20000 /* ns from one sample of the clock to the next */
/* What samples may take of a CPU from one tick to the next: with short periods nothing else would
 * ever run. What they did not take is kept for some ticks, since many may come at once. */
#define SHARE       4 /* one part of so many */
#define SHARE_NS    (CLOCK_TICK_NS / SHARE)
#define SHARE_TICKS 16
/* One sample has its part of that at most: a host may have stopped the CPU meanwhile, which is not
 * the sample's cost. */
#define SHARE_PARTS 32

enum batch {
    BATCH_NONE,
    BATCH_OPEN,
    BATCH_REFUSED, /* samples have had their share, or there is no room */
};

/* Where in the batch a PC was written last: the others are added to it. */
struct known {
    uint32_t at, batch;
};
#define KNOWN_BITS 9
_Static_assert(sizeof(struct known) << KNOWN_BITS == PAGE_SIZE, "a page of them");

struct ring {
    uint64_t *words;
    struct known *known;
    volatile uint32_t head;          /* words ever written; its CPU */
    volatile uint32_t tail;          /* words ever taken; the reader */
    struct pmc_sample_counts counts; /* its CPU */
    struct timer clock;
    uint64_t tick;  /* when the next one comes, as of the last batch; its CPU, as all below */
    uint64_t spent; /* cycles, less the shares of the ticks since */
    enum batch batch;
    bool several;    /* it goes on */
    uint32_t end;    /* of its words */
    uint32_t number; /* it is the batch of that number */
    uint32_t taken;  /* samples in it */
    unsigned depth;  /* of its chain */
    uint64_t start;  /* cycles when it began */
};

static volatile bool sampling; /* handlers may write */
static bool with_chains;
static struct ring rings[CPU_MAX];
static int event_of[PMC_COUNTERS_MAX]; /* of a counter; -1: not sampled */
static uint32_t lost_counters;
static int clock_event; /* -1: none */
static uint64_t clock_period;
static uint64_t share_cycles;

/* The calls go directly into the ring, where there is room for the longest chain. */
static bool keep(void *argument, uintptr_t address)
{
    struct ring *ring = argument;

    ring->words[ring->end++ % RING_WORDS] = address;
    return ++ring->depth < PMC_SAMPLE_DEPTH && (with_chains || ring->depth < 1);
}

/*
 * Counters are also looked at outside of interrupts: when a thread leaves the CPU, and when
 * sampling stops. The calls that led there tell little of what came before, but how the thread
 * began does. True if that is so.
 */
static bool walk_chain(struct ring *ring)
{
    const struct thread *thread = cpu_here.leaving ? cpu_here.leaving : cpu_here.current;

    trap_backtrace_interrupted(keep, ring);
    if (ring->depth > 0 || cpu_here.depth > 0)
        return false;
    if (thread && thread->entry && keep(ring, (uintptr_t)thread->entry))
        (void)keep(ring, (uintptr_t)thread_start);
    return true;
}

static bool has_room(const struct ring *ring, uint32_t words)
{
    return RING_WORDS - (ring->end - ring->tail) >= words;
}

/* On the CPU that has RING, interrupts off, in a batch. */
static void put_pc(struct ring *ring, int event, bool user, uintptr_t pc)
{
    uint32_t hash = (uint32_t)(pc >> 1) * 0x9e3779b1u >> (32 - KNOWN_BITS), at = ring->end;
    struct known *known = &ring->known[hash];
    uint64_t place = PLACE(event, user);
    bool open = ring->batch == BATCH_OPEN;

    if (open && known->batch == ring->number && ring->words[(known->at + 1) % RING_WORDS] == pc &&
        (ring->words[known->at % RING_WORDS] ^ place) >> 32 == 0) {
        ring->words[known->at % RING_WORDS]++;
    } else if (open && has_room(ring, 2)) {
        *known = (struct known){at, ring->number};
        ring->words[at++ % RING_WORDS] = place + 1;
        ring->words[at++ % RING_WORDS] = pc;
        ring->end = at;
    } else {
        ring->counts.overflow++;
        return;
    }
    ring->taken++;
    ring->counts.sample++;
}

bool pmc_sample_take(unsigned cpu, struct pmc_taken *out)
{
    struct ring *ring = &rings[cpu];
    uint32_t at = ring->tail;
    uint64_t header;

    if (at == __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE))
        return false;
    header = ring->words[at++ % RING_WORDS];
    out->another = IS_CHAIN(header);
    if (out->another) {
        out->later = CHAIN_LATER(header);
        out->depth = CHAIN_DEPTH(header);
        for (unsigned i = 0; i < out->depth; i++)
            out->chain[i] = ring->words[at++ % RING_WORDS];
        header = ring->words[at++ % RING_WORDS];
    }
    out->event = PLACE_EVENT(header);
    out->user = PLACE_USER(header);
    out->count = PLACE_COUNT(header);
    out->pc = ring->words[at++ % RING_WORDS];
    __atomic_store_n(&ring->tail, at, __ATOMIC_RELEASE);
    return true;
}

/* False if samples have had their share. */
static bool may_spend(struct ring *ring)
{
    if (ring->tick != cpu_here.clock.next_tick) {
        uint64_t given = (cpu_here.clock.next_tick - ring->tick) / SHARE;

        ring->tick = cpu_here.clock.next_tick;
        ring->spent -= given < ring->spent ? given : ring->spent;
    }
    return ring->spent < SHARE_TICKS * share_cycles;
}

/* Its header is written when the chain is known. */
static void open_batch(struct ring *ring, bool clock)
{
    uint32_t header = ring->head;
    bool later = false;

    ring->end = header;
    ring->depth = 0;
    ring->batch = BATCH_REFUSED;
    if (!may_spend(ring) || !has_room(ring, PMC_SAMPLE_DEPTH + 3))
        return;
    ring->batch = BATCH_OPEN;
    ring->start = cycles_now();
    ring->number++;
    ring->taken = 0;
    ring->end++;
    if (clock)
        trap_backtrace_interrupted(keep, ring);
    else if (with_chains)
        later = walk_chain(ring);
    ring->words[header % RING_WORDS] = CHAIN(later, ring->depth);
}

static void close_batch(struct ring *ring)
{
    uint64_t part = share_cycles / SHARE_PARTS, most = part + part / SHARE_PARTS * ring->taken;

    if (ring->batch == BATCH_OPEN) {
        uint64_t cost = cycles_between(ring->start, cycles_now());

        ring->spent += cost < most ? cost : most;
        __atomic_store_n(&ring->head, ring->end, __ATOMIC_RELEASE);
    }
    ring->batch = BATCH_NONE;
}

void pmc_samples_begin(void)
{
    rings[cpu_here.id].several = true;
}

void pmc_samples_end(void)
{
    struct ring *ring = &rings[cpu_here.id];

    ring->several = false;
    if (ring->batch != BATCH_NONE)
        close_batch(ring);
}

/* A period of a counter that tprof has is over. */
static void pmc_sample_overflow(const struct pmc_sample *sample)
{
    struct ring *ring = &rings[sample->cpu];

    if (!sampling || event_of[sample->ctr] < 0)
        return;
    if (!sample->known) {
        ring->counts.lost += sample->count;
        return;
    }
    if (ring->batch == BATCH_NONE)
        open_batch(ring, false);
    put_pc(ring, event_of[sample->ctr], sample->user, sample->pc);
    if (!ring->several)
        close_batch(ring);
}

/* The clock's own samples: where its interrupt came. */
static void clock_due(struct timer *timer)
{
    struct ring *ring = &rings[cpu_here.id];
    uint64_t next = clock_after(timer->deadline, clock_period), now = clock_now();

    if (!sampling)
        return;
    open_batch(ring, true);
    put_pc(ring, clock_event, false, ring->depth ? ring->words[(ring->head + 1) % RING_WORDS] : 0);
    close_batch(ring);
    if (next < now + CLOCK_LEAST) { /* late, or too short a period */
        uint64_t missed = (now + CLOCK_LEAST - next) / clock_period + 1;

        ring->counts.lost += missed;
        next += missed * clock_period;
    }
    timer_set(timer, next, clock_due);
}

static void clock_begin(void *unused)
{
    (void)unused;
    timer_set(&rings[cpu_here.id].clock, clock_after(clock_now(), clock_period), clock_due);
}

static void pmc_sample_none(void *unused)
{
    (void)unused;
}

/* What was sampled until then is in the rings. */
static void pmc_sample_lose(struct lwp *unused, uint32_t mask)
{
    (void)unused;
    for (int ctr = 0; mask >> ctr != 0; ctr++)
        if (mask >> ctr & 1)
            event_of[ctr] = -1;
    lost_counters |= mask;
}

static const struct pmu_owner tprof = {.name = "tprof",
                                       .rank = PMU_RANK_PROFILE,
                                       .system = true,
                                       .profiles = true,
                                       .sample = pmc_sample_overflow,
                                       .lost = pmc_sample_lose};

void pmc_sample_end(void)
{
    pmu_slot_rings_restore();
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        if (rings[cpu].words)
            page_free(rings[cpu].words);
        if (rings[cpu].known)
            page_free(rings[cpu].known);
        rings[cpu].words = NULL;
        rings[cpu].known = NULL;
    }
    pmu_samples_give(&tprof);
}

static int prepare(bool chains, bool counters, struct pmu_refusal *refusal)
{
    if (pmu_samples_take(&tprof, counters, refusal) != 0)
        return EBUSY;
    with_chains = chains;
    share_cycles = clock_ns_to_cycles(SHARE_NS);
    clock_event = -1;
    lost_counters = 0;
    for (unsigned ctr = 0; ctr < PMC_COUNTERS_MAX; ctr++)
        event_of[ctr] = -1;
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        rings[cpu] = (struct ring){.words = page_alloc(RING_ORDER), .known = page_alloc(0)};
        if (!rings[cpu].words || !rings[cpu].known) {
            pmc_sample_end();
            return ENOMEM;
        }
        memset(rings[cpu].known, 0, PAGE_SIZE);
    }
    return 0;
}

static int begin_event(const struct pmu_event_request *request, struct pmu_assignment assigned,
                       int event, struct pmu_refusal *refusal)
{
    struct pmc_counter_cfg cfg = {assigned.code, request->period, request->modes};
    int error;

    if (request->kind == PMU_EVENT_CLOCK) {
        clock_event = event;
        clock_period = request->period;
        cross_call_all(clock_begin, NULL);
        return 0;
    }
    if (request->period == 0)
        return EINVAL;
    event_of[assigned.counter] = event;
    error = pmc_take(&tprof, 1u << assigned.counter, &cfg, PMU_IF_FREE, refusal);
    if (error)
        event_of[assigned.counter] = -1;
    return error;
}

int pmc_sample_start(const struct pmu_event_request *requests, unsigned count,
                     const struct pmu_plan *plan, bool chains, unsigned *bad,
                     struct pmu_refusal *refusal)
{
    int error = prepare(chains, plan->slices > 0, refusal);

    *bad = 0;
    if (error)
        return error;
    if (plan->slices > 0)
        pmu_slot_rings_enlarge();
    sampling = true;
    for (*bad = 0; *bad < count; ++*bad) {
        error = begin_event(&requests[*bad], pmu_plan_assignment(plan, requests, 0, *bad),
                            (int)*bad, refusal);
        if (error) {
            pmc_sample_stop();
            pmc_sample_end();
            return error;
        }
    }
    return 0;
}

void pmc_sample_stop(void)
{
    for (int ctr = 0; ctr < PMC_COUNTERS_MAX; ctr++)
        if (event_of[ctr] >= 0)
            (void)pmc_give(&tprof, ctr);
    sampling = false;
    cross_call_all(pmc_sample_none, NULL); /* handlers have interrupts off */
    for (unsigned cpu = 0; clock_event >= 0 && cpu < cpu_count(); cpu++)
        (void)timer_cancel_wait(&rings[cpu].clock);
}

uint32_t pmc_sample_lost(void)
{
    return lost_counters;
}

void pmc_sample_counts_get(struct pmc_sample_counts *out)
{
    memset(out, 0, sizeof *out);
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        const volatile struct pmc_sample_counts *counts = &rings[cpu].counts;

        out->sample += counts->sample;
        out->overflow += counts->overflow;
        out->lost += counts->lost;
    }
}
