/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupt lines, chips and handlers. An interrupt is counted here and nowhere else: once on its
 * line, and once on the handler that claims it (a child of the line); one that nobody claims is
 * counted on the line's child "spurious".
 */
#pragma once

#include <arch/cpu.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/evcnt.h>
#include <sys/queue.h>
#include "stats/evcnt/histogram.h"
#include "kernel/cpu/ipl.h"
#include "kernel/time/timer.h"

struct interrupt_line;

/*
 * What a chip does for a line. All are called with the CPU's interrupts off. NULL: nothing to do;
 * level-triggered lines with handlers need mask and unmask: they may come while their level is
 * closed, at IPL_SCHED too.
 */
struct interrupt_chip {
    const char *name;
    bool soft; /* lines of software only: none is ever spurious */
    /* Tells the chip that the interrupt has arrived; the line may interrupt again unless masked. */
    void (*acknowledge)(struct interrupt_line *);
    void (*mask)(struct interrupt_line *);
    void (*unmask)(struct interrupt_line *);
    /* Sends the line's interrupts to CPU from now on; NULL: the chip knows one CPU, or each CPU has
     * its own. */
    void (*route)(struct interrupt_line *, unsigned cpu);
};

struct interrupt_handler {
    struct interrupt_handler *next; /* on the same line, in order of arrival */
    int (*function)(void *);        /* non-zero: the device had something, and was served */
    void *argument;
    struct evcnt count; /* DEVICE / "intr" */
    LIST_ENTRY(interrupt_handler) leaving;
};

#define INTERRUPT_LINE_NAME 24

/*
 * Of a level-triggered line: a device that nobody serves holds it up, and it would come again as
 * soon as it is unmasked, for ever. After INTERRUPT_STORM services in a row that no handler claimed
 * it is masked (a storm, counted), and tried again a second later.
 */
#define INTERRUPT_STORM 1000

struct interrupt_storm {
    struct timer timer; /* first */
    struct interrupt_line *line;
    uint64_t claimed; /* deliveries that were, when `row` began */
    uint32_t row;     /* services since, none claimed */
    bool told;        /* the log says that it storms */
    struct evcnt count;
};

/* What each CPU raises in a copy of its own: cells (<machine/cell.h>). */
struct interrupt_cells {
    uint64_t cycles;          /* for which the line was served, without what came between */
    struct histogram service; /* ns from the first handler to the last; interrupt_service_collect */
};

struct interrupt_line {
    struct evcnt count; /* every delivery */
    const struct interrupt_chip *chip;
    void (*acknowledge)(struct interrupt_line *); /* the chip's; never NULL */
    struct interrupt_handler *handlers;
    uint8_t ipl;            /* of its handlers (the first decides) */
    bool level;             /* level-triggered: masked while it is being served */
    volatile bool unmasked; /* and then unmasked: false of edges, and in a storm */
    bool attached;
    uint16_t pin; /* the chip's own number */
    uint32_t cpu; /* where the chip sends it, if the chip can choose */
    struct {
        struct interrupt_line *next; /* in the CPU's list of deferred lines */
        uint32_t deferred;           /* deliveries that wait for splx */
        uint32_t active;             /* below IPL_SCHED: it is being served */
        uint64_t nested;             /* the CPU's, when that began */
    } here[CPU_MAX];                 /* by its CPU, interrupts off */
    struct interrupt_cells *cells;   /* from when it is attached, or its owner's */
    struct evcnt spurious;           /* child: nobody claimed it */
    struct evcnt multiple; /* a second device was served on one entry; type MISC, no child, of
                              shared lines only */
    /* For the law of the line: what handlers counted that were taken off it, and those that are
     * being taken off. */
    uint64_t departed;
    LIST_HEAD(, interrupt_handler) departing;
    /* Of its service times: served before time began, so that nobody knows how long. */
    uint64_t untimed;
    LIST_ENTRY(interrupt_line) all;
    struct interrupt_storm storm;
    char storm_name[INTERRUPT_LINE_NAME + 8];
    char name[INTERRUPT_LINE_NAME];
    char spurious_name[INTERRUPT_LINE_NAME + 16], multiple_name[INTERRUPT_LINE_NAME + 20];
};

/*
 * Prepares LINE: counters GROUP / name, which is LINE->name as filled in by the caller; PARENT for
 * a line behind another (i8259 behind a MIPS pin), else NULL. Thread context, once per line.
 */
void interrupt_line_attach(struct interrupt_line *line, const struct interrupt_chip *chip,
                           unsigned pin, bool level, const char *group, struct evcnt *parent);
/*
 * Adds HANDLER (storage by the caller) to LINE and unmasks it. DEVICE names the counter and must
 * persist. All handlers of a line share one IPL, the first one's: -EBUSY otherwise; -EINVAL for an
 * IPL outside SOFTCLOCK..SCHED.
 */
int interrupt_establish(struct interrupt_line *line, int ipl, int (*function)(void *),
                        void *argument, const char *device, struct interrupt_handler *handler);
/* The same with another name than "intr" for the counter; EVENT must persist. */
int interrupt_establish_named(struct interrupt_line *line, int ipl, int (*function)(void *),
                              void *argument, const char *device, const char *event,
                              struct interrupt_handler *handler);
/* Takes it off again; masks the line when it was the last. */
void interrupt_disestablish(struct interrupt_line *line, struct interrupt_handler *handler);

/* The machine's entry: LINE has interrupted. CPU interrupts are off. */
void interrupt_dispatch(struct interrupt_line *line);
/* An upcall, answered by the scheduler: a more urgent thread gets the CPU, at the end of an
 * interrupt or when a level falls. Interrupts off. */
void thread_preempt(void);

/* For softint.c: LINE has become due without hardware; interrupts off. Counts it and defers it. */
void interrupt_raise_soft(struct interrupt_line *line);

/* True inside a handler or a soft interrupt. */
bool interrupt_active(void);

/*
 * Sends LINE's interrupts to CPU: 0, -EINVAL if that CPU does not run, -ENOTSUP if the line's chip
 * cannot choose. One that is under way may still arrive at the old CPU; it is counted where it
 * arrives. Thread context.
 */
int interrupt_set_affinity(struct interrupt_line *line, unsigned cpu);

/*
 * For how long CPU was in interrupts of each level, ns, at index IPL_SOFTCLOCK to IPL_SCHED; what a
 * more urgent line took meanwhile counts for that one alone. None goes back. Any context.
 */
void interrupt_level_times(unsigned cpu, uint64_t *ns);
/* The same for LINE on CPU; in cycles, or in ns. */
uint64_t interrupt_line_cycles(const struct interrupt_line *line, unsigned cpu);
uint64_t interrupt_line_time(const struct interrupt_line *line, unsigned cpu);
/* For thread.c: this CPU's times begin now, together with its own. Interrupts off. */
void interrupt_times_begin(void);

/*
 * A copy of LINE's histogram without what was served before time began (there was no time then, but
 * 0 ns is not what it took). With untimed it has as many as LINE had deliveries, when it is quiet.
 */
void interrupt_service_collect(struct histogram *out, const struct interrupt_line *line);
/* For clock.c: time begins now. Thread context, one CPU, interrupts off. */
void interrupt_time_begins(void);

/* For interrupt.c: nobody has claimed level-triggered LINE; counted as spurious already. */
void interrupt_storm_note(struct interrupt_line *line);
/* For interrupt_line.c: LINE is new; it has a new handler and will be unmasked. */
void interrupt_storm_attach(struct interrupt_line *line);
void interrupt_storm_forget(struct interrupt_line *line);
/* Whether LINE is masked because nobody claimed it. */
bool interrupt_storms(const struct interrupt_line *line);

/* Every attached line, in order of attachment; NULL begins. */
struct interrupt_line *interrupt_line_next(struct interrupt_line *line);
