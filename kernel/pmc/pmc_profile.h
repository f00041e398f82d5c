/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile: the samples of pmc_sample.h added up by function, or by chain of functions. A thread
 * of its own empties the CPUs' rings while it runs. One at a time in the whole system.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "kernel/pmc/pmc_sample.h"
#include "lib/hash_table.h"

/* What was sampled at the same place: functions, from the innermost one outwards, by the addresses
 * at which they begin; addresses in no function are themselves, and some are none: */
#define PMC_STACK_UNKNOWN   0u /* not known which, or how many */
#define PMC_STACK_INTERRUPT 1u /* the one before interrupted the one behind */
#define PMC_STACK_CUT       2u /* more than are kept */

struct pmc_stack {
    struct hash_link link;
    uint64_t count;
    uint8_t event;
    bool user;
    uint8_t cpu;    /* 0 unless the CPUs are kept apart */
    uint16_t depth; /* at least 1; 1 without chains */
    uintptr_t at[];
};

struct pmc_profile_counts { /* names of tprof(8) */
    struct pmc_sample_counts samples;
    uint64_t buf;            /* rings emptied that held something */
    uint64_t emptybuf;       /* and that held nothing */
    uint64_t dropbuf;        /* of the former, those of which something was dropped: no memory */
    uint64_t dropbuf_sample; /* samples dropped so */
    uint64_t own;            /* in what takes samples and adds them up: they are in no stack */
};

/* As pmc_sample_start. CPUS: stacks of different CPUs are kept apart. What an earlier profile left
 * is forgotten. */
int pmc_profile_start(const struct pmu_event_request *requests, unsigned count,
                      const struct pmu_plan *plan, bool chains, bool cpus, unsigned *bad,
                      struct pmu_refusal *refusal);
/* All that was sampled is in the profile when it returns. */
void pmc_profile_stop(void);
/* After the stop: frees it. */
void pmc_profile_end(void);

/* What was sampled until now is in the profile when it returns. */
void pmc_profile_gather(void);
/* Calls VISIT with each stack whose count is not 0; it stays as it is meanwhile. CLEAR: the counts
 * of those for which it returned true begin anew. */
void pmc_profile_visit(bool (*visit)(void *, const struct pmc_stack *), void *argument, bool clear);
void pmc_profile_counts_get(struct pmc_profile_counts *out);
