/* SPDX-License-Identifier: BSD-2-Clause */
/* What kernel/hwperf/ shares. */
#pragma once

#include <sys/pmc.h>
#include <sys/queue.h>
#include "kernel/hwperf/hwperf.h"
#include "kernel/lock/spinlock.h"
#include "stats/pmc/pmu_owner.h"

/* Thresholds of somebody's that have been passed and not been told yet; hwperf_overflow.c's. */
struct hwperf_passed {
    TAILQ_ENTRY(hwperf_passed) link;
    uint32_t id; /* of the process that is to be told */
    uint32_t count;
};

struct hwperf_block {
    struct spinlock lock; /* count, generation, on, lost; and of members what ticks change */
    bool on;
    bool lost; /* it was off while it was to count: so count is not all */
    uint32_t generation;
    uint32_t folds;                   /* grows when any member's part goes into count */
    TAILQ_ENTRY(hwperf_block) in_all; /* hwperf_block.c's */
    uint32_t id;                      /* the process's, once it counts */
    uint64_t count[HWPERF_EVENTS];
    struct hwperf_control control; /* these change while no member counts */
    struct hwperf_slices slices;
    TAILQ_HEAD(, hwperf_member) members; /* hwperf_lock */
    uint32_t overflows[HWPERF_EVENTS];   /* thresholds passed of each event, under its lock */
    struct hwperf_passed passed;
    struct hwperf_profile *profile; /* hwperf_profile.c's, and: */
    const struct vm *profile_vm;    /* hwperf_lock */
};

struct hwperf_member {
    struct pmc_member member; /* first */
    struct hwperf_block *block;
    struct lwp *l;
    TAILQ_ENTRY(hwperf_member) in_block;
    bool active;      /* ticks and losses have to do with it */
    bool ticks, told; /* its thread's: a tick is under way; it has been told of a loss meanwhile */
    bool lost;        /* the same: what is still running is nobody's */
    unsigned slice[HWPERF_SIDES];  /* counted on */
    uint8_t running;               /* bit N: side N counts its event */
    uint64_t folded[HWPERF_SIDES]; /* of the counter's value, part of the block's counts already */
    uint64_t left[HWPERF_EVENTS]; /* events to the next overflow, of those whose slice it is not; 0:
                                     a period */
};

extern const struct pmu_owner hwperf_owner;

/* hwperf_machine.c: the counter of the system that is that side; -1: none. */
int hwperf_counter(unsigned side);
/* How the event is counted here; false: never, in these modes. */
bool hwperf_configuration(const struct hwperf_control *control, unsigned index,
                          struct pmc_counter_cfg *cfg);

/* The event whose slice it is. The side has one. */
static inline unsigned hwperf_index_of(const struct hwperf_member *m, unsigned side)
{
    const struct hwperf_slices *slices = &m->block->slices;

    return slices->index[side][m->slice[side] % slices->count[side]];
}

/* The counters of the sides in SIDES. */
uint32_t hwperf_counters(uint32_t sides);
/* Of the calling thread, interrupts off, with the block's lock. */
void hwperf_fold(struct hwperf_member *m);

/* hwperf_overflow.c */
void hwperf_sample(const struct pmc_sample *sample);
void hwperf_overflow_boot(void);
/* COUNT more of process ID; interrupts off, any context. */
void hwperf_pass(struct hwperf_passed *passed, uint32_t id, uint32_t count);
void hwperf_forget_passed(struct hwperf_passed *passed);

/* hwperf_profile.c */
void hwperf_profile_inherit(struct hwperf_block *block, const struct hwperf_block *from);
void hwperf_profile_sample(struct hwperf_block *block, const struct pmc_sample *sample);

/* hwperf_block.c: hwperf_block_lose for all that are on. */
void hwperf_blocks_lose(void);
