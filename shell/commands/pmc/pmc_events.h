/* SPDX-License-Identifier: BSD-2-Clause */
/* pmc_events: what commands that count and sample events share: events from words, and complaints.
 */
#ifndef SHELL_PMC_EVENTS_H
#define SHELL_PMC_EVENTS_H

#include "shell/completion.h"
#include "stats/pmc/pmu_owner.h"
#include "stats/read/pmu_plan.h"

struct pmc_events {
    unsigned count;
    struct pmu_event_request list[PMU_EVENTS_MAX];
    struct pmu_plan plan;
};

/* Find the PMUs, if nobody has yet. */
void pmc_events_ready(void);

/* Read a list with commas. 0, or STATUS_USAGE with a complaint that begins with NAME. */
int pmc_events_read(const char *name, const char *text, struct pmc_events *events);
/* Add one with its modes and, if SAMPLED, perhaps a period. Results as above. */
int pmc_events_add(const char *name, const char *text, bool sampled, struct pmc_events *events);
/* 0 if all can be counted here, else 1 with a complaint. */
int pmc_events_supported(const char *name, const struct pmc_events *events);
/* Find counters that are free for the caller; 0, or 1 with a complaint. SLICES_MAX: how many slices
 * they may take. */
int pmc_events_plan(const char *name, struct pmc_events *events, unsigned slices_max);

/* Complain that the event cannot be counted here, and why. Returns 1. */
int pmc_events_uncounted(const char *name, const struct pmu_event_request *request);
/* Complain of an error number of <sys/pmc.h>. Returns 1. */
int pmc_events_refused(const char *name, const char *what, int error);
/* The same; if it is EBUSY, and REFUSAL knows who has the counter, say so. */
int pmc_events_refused_by(const char *name, const char *what, int error,
                          const struct pmu_refusal *refusal);
/* Say which events of the list had their counters, those of LOST, taken away, and by whom. */
void pmc_events_lost(const char *name, const struct pmc_events *events, uint32_t lost);

/* Say why the words are wrong, and what they should be. Returns STATUS_USAGE. */
int pmc_events_usage(const char *name, const char *why);

/* For struct command: offer the names of events. */
void pmc_events_complete(struct completion *completion);

#endif
