/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who has which counter. Each counter is granted and taken back in pmu_owner.c, under the lock of
 * stats/, and nowhere else. It belongs to
 *
 *   nobody;
 *   threads, any number of them: it is switched with them. Of each thread it has one owner: the
 *       thread's own pmc(9), or the set of events that counts the thread;
 *   one owner of the whole system, on every CPU: tprof, `pmc start`.
 *
 * A self-test may have claimed all of them; then it and the threads that it makes share them as
 * above, and all others are refused. Whoever is refused gets EBUSY and is told who has the counter.
 *
 * An owner of the system with a higher rank may also take a counter: PMU_IF_IDLE from threads of
 * which none is running, PMU_BY_FORCE from whoever has it. The loser's count stays what it was at
 * that moment and can still be read, its generation (pmc_generation) has grown, and it counts no
 * more until it asks again.
 */
#ifndef STATS_PMU_OWNER_H
#define STATS_PMU_OWNER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/lwp.h>
#include <sys/pmc.h>

enum pmu_rank {
    PMU_RANK_THREAD,  /* a thread's own counters, and sets: all owners of threads, and no other */
    PMU_RANK_PROFILE, /* samples of the whole system */
    PMU_RANK_SYSTEM,  /* counts of the whole system */
    PMU_RANK_MODE,    /* a mode in which the whole machine is */
    PMU_RANK_TEST,
};

struct pmu_owner {
    const char *name; /* "tprof" */
    enum pmu_rank rank;
    bool system;   /* has its counters on every CPU at once */
    bool profiles; /* of the system, each with a period: see pmc_start_profiling */
    /* A period of one of its counters has passed. NULL: it does not care. Interrupts off, on the
     * CPU where it happened. */
    void (*sample)(const struct pmc_sample *sample);
    /*
     * Those of MASK have been taken away and stand still; NULL: it will find out. Of L, which runs
     * here, interrupts off; or of the system (L NULL), in thread context, where pmc_get_lost_value
     * tells what they had counted.
     */
    void (*lost)(struct lwp *l, uint32_t mask);
    /* Of a set, for L that is counted by it (l_pmc_set): at each of its clock ticks, interrupts
     * off; when it has made CHILD, which has not run; and when it ends, its PARENT perhaps NULL,
     * both in thread context. In tick, lost and exit it may call the functions for L. */
    void (*tick)(struct lwp *l);
    void (*fork)(struct lwp *l, struct lwp *child);
    void (*exit)(struct lwp *l, struct lwp *parent);
    /* Of the system, whose events take turns: at each tick of each CPU on which it has a counter,
     * interrupts off. See pmc_slice_here. */
    void (*rotate)(void);
};

/* What l_pmc_set points to is the beginning of a set's own record of the thread. */
struct pmc_member {
    const struct pmu_owner *owner;
};

/* Those of the classic calls: pmc_configure_counter; pmc_alloc_kernel_counter; pmc_start_profiling.
 */
extern const struct pmu_owner pmu_owner_thread, pmu_owner_kernel, pmu_owner_profiler;

/* Who has what was refused. */
struct pmu_refusal {
    int counter;
    const struct pmu_owner *holder; /* NULL: nobody; the error says what is wrong */
    uint32_t thread; /* of an owner of threads: the number of one that has it; or 0 */
};

/* --- an owner of threads. REFUSAL may be NULL; results as those of the classic calls. --- */

int pmc_configure_as(const struct pmu_owner *owner, struct lwp *l, int ctr,
                     const struct pmc_counter_cfg *cfg, struct pmu_refusal *refusal);
/* The same, but with FIRST events to go to the first overflow (0: a period): it goes on where it
 * was. */
int pmc_resume_as(const struct pmu_owner *owner, struct lwp *l, int ctr,
                  const struct pmc_counter_cfg *cfg, uint64_t first, struct pmu_refusal *refusal);
/* Events to go to the next overflow of the caller's own counter, which stands still; 0: none. */
uint64_t pmc_left(int ctr);
/* Starts or stops all of MASK; EBUSY if any is another owner's. */
int pmc_enable_as(const struct pmu_owner *owner, struct lwp *l, uint32_t mask, bool enabled);
/* EBUSY: it is another owner's. What was lost can be given back too: then it is forgotten. */
int pmc_release_as(const struct pmu_owner *owner, struct lwp *l, int ctr);

/* --- an owner of the system; thread context --- */

enum pmu_how { PMU_IF_FREE, PMU_IF_IDLE, PMU_BY_FORCE };

/*
 * Takes all of MASK, or for an error none; CFGS in their order. They begin at once, on every CPU,
 * and where the hardware can together. EINVAL, EBUSY, ENODEV or ENOMEM; then REFUSAL (may be NULL)
 * says of which counter.
 */
int pmc_take(const struct pmu_owner *owner, uint32_t mask, const struct pmc_counter_cfg *cfgs,
             enum pmu_how how, struct pmu_refusal *refusal);
/* Gives one back. EINVAL, ENXIO: nobody of the system has it; EBUSY: another one has, or a call is
 * just giving or taking it. */
int pmc_give(const struct pmu_owner *owner, int ctr);
/*
 * Gives back those of MASK that OWNER has, and returns them: they stop at one moment on each CPU,
 * and READ is called for what each counted there, before anybody else can have it. Those that are
 * left out are not its, or are just being taken from it, of which `lost` tells before
 * pmu_owner_are_changing is false. Thread context.
 */
typedef void pmc_given(int ctr, unsigned cpu, const struct pmc_cpu_value *value);
uint32_t pmc_give_all(const struct pmu_owner *owner, uint32_t mask, pmc_given *read);
/* Whether any of MASK is just being given, or taken with all that belongs to it. */
bool pmu_owner_are_changing(uint32_t mask);

/*
 * On one CPU, interrupts off, for an owner that has all of MASK: in its `rotate`, or in a cross
 * call. False: they are not its, and nothing was done.
 */
struct pmc_slice {
    struct pmc_counter_cfg cfg;
    uint64_t value; /* what was counted here since the counter was last programmed */
    uint64_t left; /* events to the first overflow, 0: a period; then what was left of the former */
};
/* Reads the values, of one moment, in the order of MASK. STOP: they stand still from then on. */
bool pmc_read_here(const struct pmu_owner *owner, uint32_t mask, bool stop, uint64_t *values);
/* Events to go to its next overflow here, as of the last reading; 0: it has no period. */
uint64_t pmc_left_here(int ctr);
/* The same for the caller's own counters, which OWNER has running for it, interrupts off. False
 * also while a change of them is not in force yet. */
bool pmc_slice_own(const struct pmu_owner *owner, uint32_t mask, struct pmc_slice *slices);
/* Each counts what its slice says from now on, from 0. */
bool pmc_slice_here(const struct pmu_owner *owner, uint32_t mask, struct pmc_slice *slices);

/* Who last took counter CTR away from anybody; NULL: nobody ever did. For messages. */
const struct pmu_owner *pmu_owner_taker(int ctr);

/* In `lost`, and before a counter that is given is free: as pmc_get_cpu_value of a counter that was
 * just taken away. */
void pmc_get_lost_value(int ctr, unsigned cpu, struct pmc_cpu_value *out);
/* There, all that those of MASK had counted, on each CPU. */
void pmc_tell_lost_values(uint32_t mask, pmc_given *read);

/* Whether OWNER would be refused counter CTR now, and why; of an owner of threads, for L. */
bool pmu_owner_refused(const struct pmu_owner *owner, const struct lwp *l, int ctr,
                       struct pmu_refusal *refusal);

/*
 * From 1 on: has grown if counters of L were taken away from it since the last call. L NULL: of the
 * system, grows with each taking. A reader who finds another number than at the last call knows
 * that its counts are not what they seem.
 */
uint32_t pmc_generation(const struct lwp *l);

/* The rings into which samples go, and the clock's samples: for one owner at a time. COUNTERS: it
 * will want some too. 0 or EBUSY. */
int pmu_samples_take(const struct pmu_owner *owner, bool counters, struct pmu_refusal *refusal);
void pmu_samples_give(const struct pmu_owner *owner);

#endif
