/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmu_event_name: reads how events are asked for on a command line, and finds them in the classes.
 *
 *     cycles  instructions:u  r10k.25:uk  intel.0xc0  0x412e  cpu-clock
 *
 * A name is a class's own or a generic one (or what other systems call it); CLASS.NUMBER and a
 * number alone are what `pmc list` prints. Behind a colon: u user, k kernel (exceptions included),
 * s supervisor, e exceptions only; none is all of them. Behind that @N asks for counter N.
 */
#ifndef STATS_PMU_EVENT_NAME_H
#define STATS_PMU_EVENT_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "stats/read/pmc_stat.h"
#include "stats/pmc/pmu_class.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PMU_EVENT_TEXT    48
#define PMU_EVENT_CHOICES 4
#define PMU_EVENTS_MAX    16 /* of one list */

/* What is not counted by a PMU but known from the threads. */
enum pmu_event_kind { PMU_EVENT_COUNTED, PMU_EVENT_CLOCK, PMU_EVENT_MIGRATIONS };

struct pmu_event_request {
    char text[PMU_EVENT_TEXT]; /* as it was asked for, without the period */
    enum pmu_event_kind kind;
    enum pmc_stat_role role;
    const struct pmu_class *class;
    int base; /* number of the class's counter 0 */
    /* The same event may be one thing on one counter and another on the next. None: the name is
     * known, but nothing here can count it, or not in these modes. */
    const struct pmu_event *choices[PMU_EVENT_CHOICES];
    unsigned choice_count;
    bool no_such_modes; /* something here could, but in all modes, or in others */
    int counter;        /* the only one that will do; -1: any */
    uint32_t modes;     /* PMC_MODE_; 0: all */
    uint64_t period;    /* 0: not given */
};

/* What is wrong with a list, as a line without its end. */
struct pmu_event_error {
    int number; /* EINVAL: no such event, mode, counter or period; ENODEV: that counter cannot hold
                   it; E2BIG: too many, or too long a name */
    char text[96];
};

/* Reads a list with commas. The number of events, or -1. */
int pmu_event_list(const char *text, struct pmu_event_request *out, unsigned max,
                   struct pmu_event_error *error);
/* Reads one event that may have a period: NAME[:MODES][,PERIOD] or with an equals sign. 0 or -1. */
int pmu_event_sampled(const char *text, struct pmu_event_request *out,
                      struct pmu_event_error *error);

/* What else an event of that name is called, the first for INDEX 0; NULL behind the last. */
const char *pmu_event_alias(const char *name, unsigned index);
/* "exact", "modelled", "always zero", "<not supported>". */
const char *pmu_event_source(const struct pmu_event *event);

#ifdef __cplusplus
}
#endif

#endif
