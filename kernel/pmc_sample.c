/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples: see pmc_sample.h. A ring has one writer, interrupts of its CPU with further ones off,
 * and one reader. A record is a header, the PC, and the chain, in words of 64 bits.
 */
#include "kernel/pmc_sample.h"
#include <arch/context.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <sys/pmc.h>
#include "kernel/clock.h"
#include "kernel/cpu.h"
#include "kernel/cross_call.h"
#include "kernel/page.h"
#include "kernel/thread.h"
#include "kernel/timer.h"
#include "lib/errno.h"
#include "lib/string.h"

#define RING_ORDER 6
#define RING_WORDS (PAGE_SIZE << RING_ORDER >> 3)

#define HEADER(event, user, walk)                                                                  \
    ((uint64_t)(event) << 32 | (uint64_t)(walk)->later << 17 | (uint64_t)(user) << 16 |            \
     (walk)->depth)
#define HEADER_EVENT(word) ((unsigned)((word) >> 32))
#define HEADER_USER(word)  ((word) >> 16 & 1)
#define HEADER_LATER(word) ((word) >> 17 & 1)
#define HEADER_DEPTH(word) ((unsigned)(word)&0xffff)

#define CLOCK_LEAST 20000 /* ns from one sample of the clock to the next */
/* What samples may take of a CPU from one tick to the next: with short periods nothing else would
 * ever run. What they did not take is kept for some ticks, since many may come at once. */
#define SHARE       4 /* one part of so many */
#define SHARE_NS    (CLOCK_TICK_NS / SHARE)
#define SHARE_TICKS 16
/* One sample has its part of that at most: a host may have stopped the CPU meanwhile, which is not
 * the sample's cost. */
#define SHARE_PARTS 32

struct ring {
    uint64_t *words;
    volatile uint32_t head;          /* words ever written; its CPU */
    volatile uint32_t tail;          /* words ever taken; the reader */
    struct pmc_sample_counts counts; /* its CPU */
    struct timer clock;
    uint64_t tick;  /* when the next one comes, as of the last sample; its CPU, as the next */
    uint64_t spent; /* cycles, less the shares of the ticks since */
};

static struct spinlock lock = SPINLOCK_INITIALIZER("pmc samples");
static bool in_use;            /* lock */
static volatile bool sampling; /* handlers may write */
static bool handling;          /* counters are sampled, not only the clock */
static bool with_chains;
static struct ring rings[CPU_MAX];
static int event_of[PMC_COUNTERS_MAX]; /* of a counter; -1: not sampled */
static int clock_event;                /* -1: none */
static uint64_t clock_period;
static uint64_t share_cycles;

struct walk {
    bool later; /* not of an interrupt */
    unsigned depth;
    uintptr_t chain[PMC_SAMPLE_DEPTH];
};

static bool keep(void *argument, uintptr_t address)
{
    struct walk *walk = argument;

    walk->chain[walk->depth++] = address;
    return walk->depth < PMC_SAMPLE_DEPTH && (with_chains || walk->depth < 1);
}

/*
 * Counters are also looked at outside of interrupts: when a thread leaves the CPU, and when
 * sampling stops. The calls that led there tell little of what came before, but how the thread
 * began does.
 */
static void walk_chain(struct walk *walk)
{
    const struct thread *thread = cpu_here.leaving ? cpu_here.leaving : cpu_here.current;

    trap_backtrace_interrupted(keep, walk);
    if (walk->depth > 0 || cpu_here.depth > 0)
        return;
    walk->later = true;
    if (thread && thread->entry && keep(walk, (uintptr_t)thread->entry))
        (void)keep(walk, (uintptr_t)thread_start);
}

/* On the CPU that has RING, interrupts off. */
static void put(struct ring *ring, int event, bool user, uintptr_t pc, const struct walk *walk)
{
    uint32_t at = ring->head, size = walk->depth + 2;

    if (RING_WORDS - (at - ring->tail) < size) {
        ring->counts.overflow++;
        return;
    }
    ring->words[at++ % RING_WORDS] = HEADER(event, user, walk);
    ring->words[at++ % RING_WORDS] = pc;
    for (unsigned i = 0; i < walk->depth; i++)
        ring->words[at++ % RING_WORDS] = walk->chain[i];
    __atomic_store_n(&ring->head, at, __ATOMIC_RELEASE);
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
    out->event = HEADER_EVENT(header);
    out->user = HEADER_USER(header);
    out->later = HEADER_LATER(header);
    out->depth = HEADER_DEPTH(header);
    out->pc = ring->words[at++ % RING_WORDS];
    for (unsigned i = 0; i < out->depth; i++)
        out->chain[i] = ring->words[at++ % RING_WORDS];
    __atomic_store_n(&ring->tail, at, __ATOMIC_RELEASE);
    return true;
}

/* False, and counted, if samples have had their share. */
static bool begin_sample(struct ring *ring)
{
    if (ring->tick != cpu_here.clock.next_tick) {
        uint64_t given = (cpu_here.clock.next_tick - ring->tick) / SHARE;

        ring->tick = cpu_here.clock.next_tick;
        ring->spent -= given < ring->spent ? given : ring->spent;
    }
    if (ring->spent < SHARE_TICKS * share_cycles)
        return true;
    ring->counts.overflow++;
    return false;
}

static void end_sample(struct ring *ring, uint64_t start)
{
    uint64_t cost = cycles_between(start, cycles_now()), most = share_cycles / SHARE_PARTS;

    ring->spent += cost < most ? cost : most;
}

static void overflowed(const struct pmc_sample *sample)
{
    struct ring *ring = &rings[sample->cpu];
    struct walk walk = {.depth = 0};
    uint64_t start;

    if (!sampling || !sample->kernel || event_of[sample->ctr] < 0)
        return;
    if (!sample->known) {
        ring->counts.lost += sample->count;
        return;
    }
    if (!begin_sample(ring))
        return;
    start = cycles_now();
    if (with_chains)
        walk_chain(&walk);
    put(ring, event_of[sample->ctr], sample->user, sample->pc, &walk);
    end_sample(ring, start);
}

/* The clock's own samples: where its interrupt came. */
static void clock_due(struct timer *timer)
{
    struct ring *ring = &rings[cpu_here.id];
    uint64_t next = clock_after(timer->deadline, clock_period), now = clock_now();
    struct walk walk = {.depth = 0};

    if (!sampling)
        return;
    if (begin_sample(ring)) {
        uint64_t start = cycles_now();

        trap_backtrace_interrupted(keep, &walk);
        put(ring, clock_event, false, walk.depth ? walk.chain[0] : 0, &walk);
        end_sample(ring, start);
    }
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

static void nothing(void *unused)
{
    (void)unused;
}

static bool claim(void)
{
    uintptr_t state = spinlock_acquire(&lock);
    bool free = !in_use;

    in_use = true;
    spinlock_release(&lock, state);
    return free;
}

void pmc_sample_end(void)
{
    uintptr_t state;

    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        if (rings[cpu].words)
            page_free(rings[cpu].words);
        rings[cpu].words = NULL;
    }
    state = spinlock_acquire(&lock);
    in_use = false;
    spinlock_release(&lock, state);
}

static int prepare(bool chains)
{
    if (!claim())
        return EBUSY;
    with_chains = chains;
    share_cycles = clock_ns_to_cycles(SHARE_NS);
    clock_event = -1;
    for (unsigned ctr = 0; ctr < PMC_COUNTERS_MAX; ctr++)
        event_of[ctr] = -1;
    for (unsigned cpu = 0; cpu < cpu_count(); cpu++) {
        rings[cpu] = (struct ring){.words = page_alloc(RING_ORDER)};
        if (!rings[cpu].words) {
            pmc_sample_end();
            return ENOMEM;
        }
    }
    return 0;
}

static int begin_event(const struct pmu_event_request *request, struct pmu_place place, int event)
{
    struct pmc_counter_cfg cfg = {place.code, request->period, request->modes};
    int error;

    if (request->kind == PMU_EVENT_CLOCK) {
        clock_event = event;
        clock_period = request->period;
        cross_call_all(clock_begin, NULL);
        return 0;
    }
    if (request->period == 0)
        return EINVAL;
    event_of[place.counter] = event;
    error = pmc_start_profiling(place.counter, &cfg);
    if (error)
        event_of[place.counter] = -1;
    return error;
}

int pmc_sample_start(const struct pmu_event_request *requests, unsigned count,
                     const struct pmu_plan *plan, bool chains, unsigned *bad)
{
    int error = prepare(chains);

    *bad = 0;
    if (error)
        return error;
    handling = plan->turns > 0;
    if (handling && pmc_claimed()) { /* the handler is somebody's too */
        pmc_sample_end();
        return EBUSY;
    }
    if (handling)
        pmc_set_sample_handler(overflowed);
    sampling = true;
    for (*bad = 0; *bad < count; ++*bad) {
        error = begin_event(&requests[*bad], pmu_plan_place(plan, requests, 0, *bad), (int)*bad);
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
            (void)pmc_stop_profiling(ctr);
    sampling = false;
    if (handling)
        pmc_set_sample_handler(NULL);
    cross_call_all(nothing, NULL); /* handlers have interrupts off */
    for (unsigned cpu = 0; clock_event >= 0 && cpu < cpu_count(); cpu++)
        (void)timer_cancel_wait(&rings[cpu].clock);
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
