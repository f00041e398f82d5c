/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What pmc*.c share. A thread's state has two halves: what it WANTS, which anybody changes under
 * the lock, and its TALLIES and counts, which only the CPU touches that runs the thread, interrupts
 * off (or, before it first runs and after it last ran, whoever makes or ends it). `changed` tells
 * that CPU to look at what is wanted. So a thread switch needs no lock.
 */
#ifndef STATS_PMC_PRIVATE_H
#define STATS_PMC_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/pmc.h>
#include "stats/pmu_class.h"

#define MASK_FOREACH(n, mask)                                                                      \
    for (uint32_t left_ = (mask), n = 0; left_ != 0; left_ >>= 1, n++)                             \
        if (left_ & 1)

/* One counter's account, of a thread or of the kernel on one CPU, but for the count itself. */
struct pmc_tally {
    pmc_evid_t code;
    uint32_t modes;
    uint64_t period; /* 0: none */
    uint64_t left;   /* events to the next overflow, when last folded */
    uint64_t overflows;
    uint64_t lost;   /* of them, without a sample */
    uint32_t serial; /* of the want that it was made from */
    uint32_t where;  /* 1 + the CPU whose register was loaded last; 0: none */
};

struct pmc_want {
    struct pmc_counter_cfg cfg;
    uint32_t serial; /* grows with each configuration, so that a new one is told from the old */
    uint64_t since;  /* when that was, ns */
    bool configured, enabled;
};

struct pmc_state {
    struct pmu_counts counts;             /* first; the mask is of those that it has running */
    pmu_swap_t *swap;                     /* for its plan */
    pmu_value_t *value[PMC_COUNTERS_MAX]; /* the short reading, of those that run without period */
    struct pmc_tally tally[PMC_COUNTERS_MAX];
    struct pmc_want want[PMC_COUNTERS_MAX];
    uint64_t children[PMC_COUNTERS_MAX]; /* under the lock */
    struct lwp *lwp;
    volatile bool changed;
    struct pmc_state *next, *previous; /* all of them, under the lock */
};

/* What one counter of one CPU is set to. */
struct pmc_register {
    pmc_evid_t code;
    uint32_t modes;
    uint64_t period;
    uint64_t chunk;                /* events from the last fold until the register overflows */
    const struct pmc_tally *holds; /* whose period's remainder is in it */
    bool programmed, running;
    bool held; /* it does not run, but the class has not been told to stop it */
};

/* Written by its own CPU only, interrupts off. */
struct pmc_cpu {
    uint64_t last[PMC_COUNTERS_MAX]; /* first; the register when it was last folded */
    struct pmc_register reg[PMC_COUNTERS_MAX];
    struct pmc_tally kernel[PMC_COUNTERS_MAX];
    uint64_t kernel_count[PMC_COUNTERS_MAX];
    uint32_t kernel_mask;  /* the kernel's that run here */
    struct lwp *switching; /* the thread that overflows belong to during a switch */
    bool active;           /* its switches and ticks are seen to */
};

/* A counter of the system. */
struct pmc_counter {
    const struct pmu_class *class;
    unsigned index; /* in its class */
    uint64_t mask;  /* of a value */
    uint64_t half;  /* 2^(width - 1): the longest way to an overflow, and the largest difference */
};

struct pmc_system {
    struct pmc_counter counter[PMC_COUNTERS_MAX];
    int counters;
    volatile uint32_t kernel_mask;    /* under the lock: whose the kernel has */
    volatile uint32_t profiling_mask; /* those of them that are profiled */
    volatile uint32_t changing_mask; /* those that a call is loading or unloading; under the lock */
    struct pmc_counter_cfg kernel_cfg[PMC_COUNTERS_MAX];
    uint64_t kernel_since[PMC_COUNTERS_MAX]; /* ns */
    /* Those that began together with each of them, itself included; 0: stopped for good. */
    uint32_t kernel_group[PMC_COUNTERS_MAX];

    uint32_t configured[PMC_COUNTERS_MAX]; /* threads that have it, or are about to have given it
                                              back; under the lock */
    uint32_t enabled[PMC_COUNTERS_MAX];    /* threads that want it running */
    struct pmc_state *states;              /* under the lock */
    unsigned users;                        /* states and kernel counters */
    uint64_t claim;                        /* 0: none; under the lock */
    uint64_t claims;                       /* ever made */
    uint64_t plans;                        /* ever made */
    struct pmc_cpu *cpus;                  /* one for each CPU; NULL before the first use */
    const struct pmc_hooks *hooks;
    pmc_sample_handler_t *handler;
};
extern struct pmc_system pmc_system;

/* --- pmu_class.c --- */
bool pmc_counter_valid(int ctr);
/* Whether CTR can do what CFG says: 0, EINVAL, ENODEV. */
int pmc_config_check(int ctr, const struct pmc_counter_cfg *cfg);
/* The modes that CFG asks for, PMC_MODE_ALL if it does not care. */
uint32_t pmc_config_modes(const struct pmc_counter_cfg *cfg);

/* --- pmc_register.c: this CPU's registers, interrupts off --- */
struct pmc_cpu *pmc_cpu_here(void);
void pmc_tally_init(struct pmc_tally *tally, const struct pmc_counter_cfg *cfg, uint32_t serial);
/* The register is made ready to count for TALLY; it does so when it is started, or at once if it
 * has gone on running. */
void pmc_register_prepare(struct pmc_cpu *cpu, unsigned n, struct pmc_tally *tally);
/* It no longer does: COUNT is brought up to date. One without a period may go on for nobody, unless
 * STOP. */
void pmc_register_unload(struct pmc_cpu *cpu, unsigned n, struct pmc_tally *tally, uint64_t *count,
                         bool stop);
/* Several begin, and stand still, together if they can; ALL: those stop too that can only do so one
 * by one. Which of them run or not does not matter. */
void pmc_registers_start(struct pmc_cpu *cpu, uint32_t mask);
void pmc_registers_hold(struct pmc_cpu *cpu, uint32_t mask, bool all);
/* Brings COUNT up to date; it goes on. */
void pmc_register_fold(struct pmc_cpu *cpu, unsigned n, struct pmc_tally *tally, uint64_t *count);
/* Stops it if it runs, for whom or nobody. */
void pmc_register_stop(struct pmc_cpu *cpu, unsigned n);
/* Drains what overflows the classes have not reported. */
void pmc_register_poll(void);
/* For whom register N counts now, NULL: nobody. Otherwise also *COUNT. */
struct pmc_tally *pmc_register_owner(struct pmc_cpu *cpu, unsigned n, uint64_t **count);

/* --- pmc_context.c: a thread's counters on its CPU, interrupts off --- */
/* What L wants is put in force; LOADED: its counters are this CPU's. Without the lock. */
void pmc_state_apply(struct pmc_cpu *cpu, struct pmc_state *state, bool loaded);
/* Takes them all off this CPU, which runs it, and stops them. */
void pmc_state_unload(struct pmc_cpu *cpu, struct pmc_state *state);
void pmc_state_restore(struct pmc_cpu *cpu, struct pmc_state *state);

/* --- pmc_thread.c --- */
/* Memory for the CPUs, and every CPU sees to its switches and ticks while there are users. 0,
 * ENOMEM. Thread context. */
int pmc_cpus_ready(void);
/* Makes L's state if it has none; FIRST: perhaps the first of all. 0, ENOMEM. Thread context. */
int pmc_state_make(struct lwp *l, bool first);
/* What is wanted; under the lock. */
void pmc_want_set(struct pmc_state *state, int ctr, bool configured, bool enabled);
/* What L wants is in force when this returns: at once if it runs, otherwise when it runs again. */
void pmc_put_in_force(struct lwp *l);

/* --- pmc.c --- */
/* Brings the counts of a pmc_state up to date if its thread runs here; interrupts off. */
void pmc_fold_here(void *state);

/* --- pmc_kernel.c --- */
int pmc_kernel_value(int ctr, uint64_t *pval);

static inline bool pmc_kernel_has(int ctr)
{
    return pmc_system.kernel_mask >> ctr & 1;
}

/* Neither about to begin nor about to end. */
static inline bool pmc_kernel_counts(int ctr)
{
    return (pmc_system.kernel_mask & ~pmc_system.changing_mask) >> ctr & 1;
}

/* Whether the switch from one to the other is the classes' short one. */
static inline bool pmc_can_swap(const struct lwp *from, const struct lwp *to)
{
    return from->l_pmc_plan == to->l_pmc_plan && from->l_pmc_plan != 0;
}

/* What the host answers: kernel/pmc_port.c, stats/host/host_pmu.c. */
uintptr_t pmc_port_interrupts_save(void);
void pmc_port_interrupts_restore(uintptr_t state);
unsigned pmc_port_cpu_count(void);
/* FUNCTION(ARGUMENT) on every CPU, interrupts off. Thread context. */
void pmc_port_each_cpu(void (*function)(void *), void *argument);
/* On the CPU concerned, interrupts off: its thread switches call pmc_switch_context, and pmc_tick
 * is called at ticks, from now on, or no longer. */
void pmc_port_begin(struct pmc_cpu *cpu);
void pmc_port_end(struct pmc_cpu *cpu);
/* The two classic calls around a switch were used: L runs on this CPU from now on, or none does.
 * Where there is a scheduler it knows better. */
void pmc_port_current(struct lwp *l);
/* For tests: as at the start. */
void pmc_system_reset(void);

#endif
