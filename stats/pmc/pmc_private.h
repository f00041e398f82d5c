/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What pmc*.c share. A thread's state has two halves: what it WANTS, which anybody changes under
 * the lock, and its TALLIES and counts, which only the CPU touches that runs the thread, interrupts
 * off (or, before it first runs and after it last ran, whoever makes or ends it). `changed`, or the
 * system's epoch, tells that CPU to look at what is wanted. So a thread switch needs no lock.
 */
#ifndef STATS_PMC_PRIVATE_H
#define STATS_PMC_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/pmc.h>
#include <sys/queue.h>
#include "lib/hash_table.h"
#include "stats/pmc/pmu_class.h"
#include "stats/pmc/pmu_owner.h"

#define MASK_FOREACH(n, mask)                                                                      \
    for (uint32_t left_ = (mask), n = 0; left_ != 0; left_ >>= 1, n++)                             \
        if (left_ & 1)

/* One counter's account, of a thread or of the system on one CPU, but for the count itself. */
struct pmc_tally {
    const struct pmu_owner *owner; /* who gets its samples */
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
    uint64_t first;  /* events to the first overflow; 0: a period */
    bool configured; /* it can be read: OWNER has it, or has lost it */
    bool enabled;
    const struct pmu_owner *owner; /* NULL: the thread does not have it; pmu_owner.c's */
    const struct pmu_owner *loser; /* who had it, and has not been told yet; pmu_owner.c's */
};

/*
 * The switch between two threads that count the same, as its host makes it: for each counter N of
 * THREAD, which leaves, none of them stopped,
 *     value = register N; THREAD->count[N] += (value - last[N]) modulo 2^width; last[N] = value;
 * then context_switch(from, to, state). There are fewer than 2^31 events since last[N], whose bits
 * above the width mean nothing.
 */
typedef void pmc_quick_switch_t(void **from, void *to, uintptr_t state, struct pmu_counts *thread,
                                uint64_t *last);

struct pmc_state {
    struct pmu_counts counts;             /* first; the mask is of those that it has running */
    pmc_quick_switch_t *quick;            /* for its plan */
    pmu_value_t *value[PMC_COUNTERS_MAX]; /* the short reading, of those that run without period */
    struct pmc_tally tally[PMC_COUNTERS_MAX];
    struct pmc_want want[PMC_COUNTERS_MAX];
    uint64_t children[PMC_COUNTERS_MAX]; /* under the lock */
    struct lwp *lwp;
    volatile bool changed;
    uint64_t epoch; /* the system's, when it was last told; see pmu_owner_tell */
    LIST_ENTRY(pmc_state)
    holding[PMC_COUNTERS_MAX];         /* those that have the counter; pmu_owner.c's */
    struct pmc_state *next, *previous; /* all of them, and by address; pmc_states.c */
    struct hash_link link;
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

    /* What pmu_owner.c alone writes, under the lock. */
    const struct pmu_owner *owner[PMC_COUNTERS_MAX]; /* of the system; NULL: threads', or free */
    volatile uint32_t kernel_mask;                   /* those that have one */
    volatile uint32_t profiling_mask;                /* whose owner profiles */
    volatile uint32_t changing_mask;                 /* those that a call is loading or unloading */
    struct pmc_counter_cfg kernel_cfg[PMC_COUNTERS_MAX];
    uint64_t kernel_since[PMC_COUNTERS_MAX];          /* ns */
    uint32_t generation;                              /* how often the system has taken some */
    const struct pmu_owner *taker[PMC_COUNTERS_MAX];  /* who last took it from somebody */
    LIST_HEAD(, pmc_state) holders[PMC_COUNTERS_MAX]; /* threads that have it */
    uint32_t leaving[PMC_COUNTERS_MAX]; /* those that are about to have given it back */
    uint32_t enabled[PMC_COUNTERS_MAX]; /* threads that want it running */
    volatile uint64_t epoch;            /* how often something changed that all threads are told */
    uint64_t taken[PMC_COUNTERS_MAX];   /* the epoch that began when it was last taken */
    const struct pmu_owner *sampler;    /* has the rings of samples */
    uint64_t claim;                     /* 0: none */
    uint64_t claims;                    /* ever made */

    /* Those that began together with each of them, itself included; 0: stopped for good, or of an
     * owner whose events take turns. */
    uint32_t kernel_group[PMC_COUNTERS_MAX];

    struct pmc_state *states; /* under the lock */
    unsigned users;           /* states and kernel counters */
    struct pmc_cpu *cpus;     /* one for each CPU; NULL before the first use */
};
extern struct pmc_system pmc_system;

/* --- pmu_class.c --- */
bool pmc_counter_valid(int ctr);
/* Whether CTR can do what CFG says: 0, EINVAL, ENODEV. */
int pmc_config_check(int ctr, const struct pmc_counter_cfg *cfg);
/* The modes that CFG asks for, PMC_MODE_ALL if it does not care. */
uint32_t pmc_config_modes(const struct pmc_counter_cfg *cfg);

/* --- pmu_owner.c: grants; under the lock unless they say otherwise --- */
/* OWNER gets the counter of STATE's thread, stopped: 0, or EBUSY with REFUSAL's holder. */
int pmu_owner_grant_thread(const struct pmu_owner *owner, struct pmc_state *state, int ctr,
                           struct pmu_refusal *refusal);
/* The same where it is known to be free, as for a thread that has inherited it. */
void pmu_owner_give_thread(struct pmc_state *state, int ctr, const struct pmu_owner *owner,
                           bool enabled);
/* Nobody has the thread's counter any more, nor has lost it. */
void pmu_owner_end_thread(struct pmc_state *state, int ctr);
void pmu_owner_enable(struct pmc_state *state, int ctr, bool enabled);
/* Until KEEP is false, the counter is as if another thread had it. */
void pmu_owner_keep(int ctr, bool keep);
/* Tells STATE's thread what the system has taken since it was last told. Whoever looks at the
 * owners of a thread's counters, or at whether they are enabled, does this first. */
void pmu_owner_tell(struct pmc_state *state);
/* L's state, told; NULL: it has none. */
struct pmc_state *pmu_owner_state(const struct lwp *l);
/* Without the lock: 0, or the first error. LOSERS NULL: looks only. Else all of MASK are OWNER's
 * now; LOSERS[N]: who of the system had counter N. */
int pmu_owner_take(const struct pmu_owner *owner, uint32_t mask, const struct pmc_counter_cfg *cfgs,
                   enum pmu_how how, const struct pmu_owner **losers, struct pmu_refusal *refusal);
/* Without the lock: those of MASK run everywhere, and may be given back from now on. */
void pmu_owner_settled(uint32_t mask);
/* Without the lock: the caller, and nobody else, is to unload the counter, and then ends it. */
int pmu_owner_give_begin(const struct pmu_owner *owner, int ctr);
void pmu_owner_give_end(int ctr);

/* --- pmc_register.c: this CPU's registers, interrupts off --- */
struct pmc_cpu *pmc_cpu_here(void);
void pmc_tally_init(struct pmc_tally *tally, const struct pmc_counter_cfg *cfg, uint32_t serial,
                    const struct pmu_owner *owner);
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
/* What its thread wants is put in force, whose counters are this CPU's. Without the lock. */
void pmc_state_apply(struct pmc_cpu *cpu, struct pmc_state *state);
/* The same of the thread that runs here, if it has counters and is behind. */
void pmc_state_catch_up(struct pmc_cpu *cpu);
/* Takes them all off this CPU, which runs it, and stops them. */
void pmc_state_unload(struct pmc_cpu *cpu, struct pmc_state *state);
void pmc_state_restore(struct pmc_cpu *cpu, struct pmc_state *state);
/* Counters in MASK count something else: how they are read and switched is found anew. */
void pmc_state_replan(struct pmc_state *state, uint32_t mask);

/* --- pmc_states.c; under the lock unless they say otherwise --- */
/* Before one is linked: finding one stays as fast as it was. Thread context, without the lock. */
void pmc_states_make_room(void);
void pmc_states_link(struct pmc_state *state);
void pmc_states_unlink(struct pmc_state *state);
/* Whether STATE, an address that once was one's, is one's now; perhaps of another thread. */
bool pmc_states_have(const struct pmc_state *state);

/* --- pmc_plan.c --- */
/* A number of those that it has running: the same as before for the same events and modes, unless
 * others have come since, or all were forgotten. Under the lock. */
uint64_t pmc_plan_number(const struct pmc_state *state);
/* The numbers that have been given will not be given again. Under the lock. */
void pmc_plan_forget(void);

/* --- pmc_thread.c --- */
/* Memory for the CPUs, and every CPU sees to its switches and ticks while there are users. 0,
 * ENOMEM. Thread context. */
int pmc_cpus_ready(void);
/* Makes L's state if it has none; FIRST: perhaps the first of all. 0, ENOMEM. Thread context. */
int pmc_state_make(struct lwp *l, bool first);
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

/* Whether STATE's thread has something to put in force. Whoever tells it on another CPU just now
 * writes these in the other order. */
static inline bool pmc_state_is_behind(const struct pmc_state *state)
{
    return __atomic_load_n(&state->epoch, __ATOMIC_ACQUIRE) != pmc_system.epoch || state->changed;
}

/* Neither about to begin nor about to end. */
static inline bool pmc_kernel_counts(int ctr)
{
    return (pmc_system.kernel_mask & ~pmc_system.changing_mask) >> ctr & 1;
}

/* Whether they count the same, so that their counters need no more than a look between them. */
static inline bool pmc_count_the_same(const struct lwp *from, const struct lwp *to)
{
    return from->l_pmc_plan == to->l_pmc_plan && from->l_pmc_plan != 0;
}

/* What the host answers: kernel/pmc/pmc_port.c, stats/host/host_pmu.c. */
uintptr_t pmc_port_interrupts_save(void);
void pmc_port_interrupts_restore(uintptr_t state);
unsigned pmc_port_cpu_count(void);
/* For threads that all count on exactly the counters in MASK, of CLASS, which is the first and
 * PMU_QUICK; NULL: there is none. */
pmc_quick_switch_t *pmc_port_quick_switch(const struct pmu_class *class, uint32_t mask);
/* The number by which users know the thread; 0: it has none. */
uint32_t pmc_port_number(const struct lwp *l);
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
