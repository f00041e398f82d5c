/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples of the whole system: each time one of the events has happened so often as its period
 * says, the instruction and the chain of calls go into a ring of the CPU where it happened. Written
 * in interrupts; pmc_profile.c empties the rings. One user at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "stats/pmc/pmu_owner.h"
#include "stats/read/pmu_plan.h"

#define PMC_SAMPLE_EVENTS 4
#define PMC_SAMPLE_DEPTH  64       /* calls that are kept of a chain: QPMU_CALLERS_MOST */
#define PMC_CLOCK_PERIOD  1000000u /* ns, of the event cpu-clock where no period is given */

struct pmc_taken {
    unsigned event; /* its number in the list */
    uint32_t count; /* samples that were alike */
    bool user;
    uintptr_t pc; /* where it happened; 0: unknown */
    /* The chain is that of several in a row, and is written here with the first of them. */
    bool another;   /* it was just written */
    unsigned depth; /* 0: only where it happened is known */
    /* LATER false: where the interrupt came, which may be later than PC, and the calls that led
     * there. True: only how the thread began, because there was no interrupt. */
    bool later;
    /* Instead the callers of PC's function themselves, as struct qpmu_callers has them. */
    bool exact;
    uint64_t hash;   /* theirs, as struct qpmu_callers has it */
    bool whole, cut; /* the outermost has no caller; it has some that are not here */
    uintptr_t chain[PMC_SAMPLE_DEPTH];
};

/* tprof(8)'s figures; those of buffers, which here are emptyings of rings, are pmc_profile.c's. */
struct pmc_sample_counts {
    uint64_t sample;   /* put into a ring */
    uint64_t overflow; /* found it full, or were too many since the last tick */
    uint64_t lost;     /* periods that passed, but nobody knows where */
};

/*
 * Every event has a counter in PLAN's only slice, or is the clock, and has a period. 0, or a
 * positive error number with nothing running: EBUSY (REFUSAL says why), ENOMEM, or what pmc_take
 * says of event *BAD. Thread context.
 */
int pmc_sample_start(const struct pmu_event_request *requests, unsigned count,
                     const struct pmu_plan *plan, bool chains, unsigned *bad,
                     struct pmu_refusal *refusal);
/* Counters that were taken away since the start. */
uint32_t pmc_sample_lost(void);
/* When it returns, no more samples come. They may be taken until the end. */
void pmc_sample_stop(void);
/* After the stop, and the last taking (sample_ring_take). */
void pmc_sample_end(void);
/* Of the last use, or of the running one. */
void pmc_sample_counts_get(struct pmc_sample_counts *out);
