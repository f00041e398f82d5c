/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A CPU's ring of samples. It has one writer, interrupts of its CPU with further ones off, and one
 * reader, a thread. It holds batches of samples that were found at once: a header and the chain,
 * and for each place a header and the PC, in words of 64 bits. A place whose callers are known has
 * a chain of its own before it. The reader sees whole batches.
 */
#pragma once

#include <sys/pmc.h>
#include "kernel/cpu/cpu.h"
#include "kernel/pmc/pmc_sample.h"

enum batch {
    BATCH_NONE,
    BATCH_OPEN,
    BATCH_REFUSED, /* samples have had their share, or there is no room */
};

struct known; /* places of a batch */
struct qpmu_callers;
struct timer;

struct sample_ring {
    bool chains;    /* calls are wanted, not only places */
    uint64_t share; /* cycles of a tick that samples may take */
    uint64_t *words;
    uint32_t mask; /* how many words, a power of two, less 1 */
    struct known *known;
    volatile uint32_t head;          /* words ever written; its CPU */
    volatile uint32_t tail;          /* words ever taken; the reader */
    struct pmc_sample_counts counts; /* its CPU */
    uint64_t tick;  /* when the next one comes, as of the last batch; its CPU, as all below */
    uint64_t spent; /* cycles, less the shares of the ticks since */
    enum batch batch;
    const struct qpmu_callers *callers; /* of what is put next; NULL: the batch's chain is for it */
    const uint64_t *caller_words;       /* where they are, modulo the mask + 1 */
    uint32_t caller_mask;
    bool several;    /* it goes on */
    uint32_t end;    /* of its words */
    uint32_t number; /* it is the batch of that number */
    uint32_t taken;  /* samples in it */
    unsigned depth;  /* of its chain */
    uint64_t start;  /* cycles when it began */
};

/* Empty, with the memory that it takes; false without memory. Thread context. */
bool sample_ring_begin(struct sample_ring *ring, bool chains);
void sample_ring_end(struct sample_ring *ring);
/* The oldest sample; false if there is none. One caller at a time, who leaves the chain in OUT to
 * the next call for that ring, until one was false. */
bool sample_ring_take(struct sample_ring *ring, struct pmc_taken *out);

/* The writer's. A batch is opened, or refused; what is put into one that was is counted so. CLOCK:
 * the calls of what was interrupted; else also of the thread, where nothing was. */
void sample_ring_open(struct sample_ring *ring, bool clock);
void sample_ring_put(struct sample_ring *ring, int event, bool user, uintptr_t pc);
void sample_ring_close(struct sample_ring *ring);

/* What is sampled, as pmc_sample.c says. */
struct sample_sources {
    volatile bool on;               /* handlers may write */
    int event_of[PMC_COUNTERS_MAX]; /* of a counter; -1: not sampled */
    int clock_event;                /* -1: none */
    uint64_t clock_period;
};

extern struct sample_sources sample_sources;
extern struct sample_ring sample_rings[];

/* A period of a counter of tprof's is over: struct pmu_owner's sample. */
void sample_ring_overflow(const struct pmc_sample *sample);
/* A clock's period is over: its interrupt came where the sample is. */
void sample_ring_clock_due(struct timer *timer);

/* For drivers. What overflows between these two was found at once, and so has the same chain.
 * Interrupts off. */
static inline void sample_rings_begin(void)
{
    sample_rings[cpu_here.id].several = true;
}

void sample_rings_end(void);
/* The driver's functions that report overflows, and its handler. */
extern uintptr_t sample_ring_takers[2];
/* Between them: the callers of what is reported next, in WORDS modulo MASK + 1; NULL: nobody has
 * told them. */
void sample_rings_callers(const struct qpmu_callers *callers, const uint64_t *words, uint32_t mask);
/* Between them: true if the samples from here on are counted, but not kept, for there is no room or
 * they have had their share of the time. Whoever reports them may then tell only how many. */
static inline bool sample_rings_refused(void)
{
    return sample_rings[cpu_here.id].batch == BATCH_REFUSED;
}
