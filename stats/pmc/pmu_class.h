/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A PMU as a table: what it can do, its events, and a handful of functions. stats/pmc/pmc*.c knows
 * nothing else of it and so cannot tell hardware from a model. On the host there is
 * stats/host/host_pmu.c.
 */
#ifndef STATS_PMU_CLASS_H
#define STATS_PMU_CLASS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/pmc.h>

enum pmu_source { PMU_EXACT, PMU_MODELLED, PMU_ALWAYS_ZERO };

#define PMU_CAN_INTERRUPT                                                                          \
    1u                     /* overflows are reported, at once or at ticks: periods are possible    \
                            */
#define PMU_CAN_MODES  2u  /* user and kernel apart */
#define PMU_EXACT_PC   4u  /* an overflow's PC is that of the instruction, without skid */
#define PMU_CAN_RELOAD 8u  /* a counter reloads itself in the instant of overflow */
#define PMU_VIRTUAL    16u /* not hardware: the kernel's own counts */
#define PMU_QUICK                                                                                  \
    32u /* its registers are those that the kernel can read at once, see pmc_switch.c */

/* Of events that mean the same on every machine (docs/PMC.md), for who asks for one by that. */
enum pmu_meaning { PMU_ITS_OWN, PMU_CYCLES, PMU_INSTRUCTIONS, PMU_BRANCH_MISSES };

struct pmu_event {
    const char *name;        /* generic (cycles, instructions, branches) or the class's own */
    const char *description; /* the manual's words, short */
    pmc_evid_t code;         /* unique over all classes */
    uint32_t counters;       /* bit N: counter N of the class can hold it */
    enum pmu_source source;
    bool supported; /* false: `<not supported>` here; configuring gives ENODEV */
    enum pmu_meaning meaning;
};

struct pmu_overflow {
    const struct pmu_class *class;
    unsigned counter; /* of the class */
    unsigned cpu;     /* where it happened: the CPU that reports it */
    uint64_t pc;
    uint64_t value; /* of the register at that instant */
    uint32_t lost;  /* not 0: instead, so many overflows of this counter are known to have happened,
                       but not where (reload only) */
    bool exact;     /* pc is the instruction's own */
    bool user;
};

/* A thread's counts, under system-wide numbers. */
struct pmu_counts {
    uint64_t count[PMC_COUNTERS_MAX];
    uint32_t mask; /* counters that run */
};

/* counts[N] + (register N - last[N]) modulo 2^width, for one counter N. There are fewer than 2^31
 * events since last[N], whose bits above the width mean nothing. */
typedef uint64_t pmu_value_t(const uint64_t *counts, const uint64_t *last);

struct pmu_class {
    const char *name; /* "intel", "r10k", "soft" */
    int type;         /* pmc_get_counter_type(-1) */
    unsigned counters;
    unsigned width;       /* bits of a counter, 2 to 64 */
    uint64_t overflow_at; /* the value that means overflow: 2^31 for r10k; 0: the wrap to 0 */
    unsigned capabilities;
    uint32_t modes; /* PMC_MODE_ bits that it can tell apart; 0: none, counts in all */
    const struct pmu_event *events;
    unsigned event_count;

    /* All on the CPU that calls, interrupts off. Counters are told apart by their number in the
     * class. */

    /* The counter is stopped, and is to count CODE in MODES (never 0; PMC_MODE_ALL: no
     * restriction) from its start on, reporting overflows if INTERRUPT. */
    void (*program)(unsigned counter, pmc_evid_t code, uint32_t modes, bool interrupt);
    void (*start)(unsigned counter); /* counts on from the register's value */
    void (*stop)(unsigned counter);
    uint64_t (*read)(unsigned counter); /* running or not */
    void (*write)(unsigned counter, uint64_t value);

    /* --- the rest is optional: NULL --- */
    int (*counter_type)(unsigned counter); /* else `type` for each */
    /* Both or neither: the counters in MASK, none of which runs, begin together, or one right after
     * another so that the first to begin is the last to end; and they end so. What is held may be
     * read, stopped, or started again. */
    void (*start_all)(uint32_t mask);
    void (*hold)(uint32_t mask);
    /* PMU_CAN_RELOAD. Whenever the counter overflows it becomes VALUE in that instant. ON false: it
     * counts on. */
    void (*reload)(unsigned counter, bool on, uint64_t value);
    /* Calls pmc_overflow for each overflow of this CPU that is not yet reported, so that it is
     * accounted to the thread in which it happened. Called before anything is read, written or
     * stopped that has a period, and at ticks. NULL only if each is reported in its instant.
     * Reports only: pmc_overflow puts registers back itself. */
    void (*poll)(void);
    /* All overflows that came through qpmu's ring were reported: its registers may forget them. */
    void (*acknowledge)(void);
    /* A short reading of the counter, NULL: none. Only where the class is the first. */
    pmu_value_t *(*reader)(unsigned counter);
};

/* Start-up, or LATE: hardware before soft. Counters are numbered in that order. At most
 * PMU_CLASSES_MAX; more counters than PMC_COUNTERS_MAX are not used. */
#define PMU_CLASSES_MAX 4
void pmu_attach(const struct pmu_class *class);
/* Class number INDEX in order of attachment, NULL behind the last; BASE (not if NULL): what its
 * counter 0 is called. */
const struct pmu_class *pmu_class_at(unsigned index, int *base);
/* The event of that number and its class (if not NULL); NULL: none. */
const struct pmu_event *pmu_event_find(pmc_evid_t code, const struct pmu_class **class);

/* Somebody, a test, has used counters of this CPU directly; interrupts off. They are programmed
 * anew when they are next needed. */
void pmu_disturbed(void);

/* A class has found an overflow. Interrupts off, on that CPU. */
void pmc_overflow(const struct pmu_overflow *overflow);

#endif
