/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Virtual counters of processes, over two counters of the hardware: docs/R10K.md. A block is a
 * process's: 32 counts, and what is asked for. A member is a thread of it that counts: it is
 * switched with the thread by kernel/pmc, folds its counts into the block at its clock ticks, and
 * goes on to the next event of each side then.
 *
 * All functions are for thread context under hwperf_lock, with no spinlock held, unless they say
 * otherwise; errors are positive.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "kernel/thread/mutex.h"
#include "stats/hwperf/hwperf_control.h"
#include "stats/hwperf/hwperf_profile.h"

struct hwperf_block;
struct hwperf_member;
struct lwp;
struct vm;

/* Everything but ticks, losses and reading a block that counts no more. */
extern kmutex_t hwperf_lock;

/* Finds the counters, once; then hwperf_lock may be entered. Before it, nothing else. No lock. */
void hwperf_boot(void);

/* Is told of COUNT thresholds of process ID, whose block asks for a signal or has PC buckets, in a
 * soft interrupt. */
typedef void hwperf_listener(uint32_t id, uint32_t count);
void hwperf_listen(hwperf_listener *listener);

/* 0; EINVAL: an event that this machine does not have; ENODEV: it has no counters. */
int hwperf_machine_check(const struct hwperf_control *control);
/* Somebody has one of them for the whole system. */
bool hwperf_machine_busy(void);
/* Its name here; NULL: this machine does not have it. */
const char *hwperf_event_name(unsigned index);

/* All 0, counts nothing; NULL: no memory. */
struct hwperf_block *hwperf_block_create(void);
/* Of a new process: what FROM is asked for, from 0. NULL: no memory. */
struct hwperf_block *hwperf_block_inherit(const struct hwperf_block *from);
/* It is process ID's, before any member is made. */
void hwperf_block_name(struct hwperf_block *block, uint32_t id);
/* It has no members. Any context. */
void hwperf_block_free(struct hwperf_block *block);

/* CONTROL is valid, and is what members that start from now on count; ANEW: counts begin at 0. The
 * generation grows. No member counts. */
void hwperf_block_set(struct hwperf_block *block, const struct hwperf_control *control, bool anew);
/* Whether members are to count: from a set until an off, or until the counters were taken away. */
bool hwperf_block_is_on(const struct hwperf_block *block);
/* It is on, or was when its counters were taken away, and has not begun anew since. */
bool hwperf_block_is_wanted(const struct hwperf_block *block);
void hwperf_block_off(struct hwperf_block *block);
/* The counters were taken away: off, and the generation says so. */
void hwperf_block_lose(struct hwperf_block *block);
const struct hwperf_control *hwperf_block_control(const struct hwperf_block *block);

/* Counts as of now, of one moment; the generation. */
uint32_t hwperf_block_read(struct hwperf_block *block, uint64_t count[HWPERF_EVENTS]);
uint32_t hwperf_block_generation(struct hwperf_block *block);
/* What kstats say of it besides: whose counters were taken away, members, thresholds passed. */
struct hwperf_block_facts {
    bool lost;
    uint32_t members;
    uint64_t overflows;
};
void hwperf_block_get_facts(struct hwperf_block *block, struct hwperf_block_facts *facts);
/* FROM has no members any more. If its counters were taken away, TO's generation grows as well. No
 * mutex, any context. */
void hwperf_block_add(struct hwperf_block *to, struct hwperf_block *from);

/*
 * PC buckets. Thresholds raise those of PROFILE (hwperf_profile_init; the block's from now on)
 * until it gets another one; NULL: none. kmem's.
 */
void hwperf_block_set_profile(struct hwperf_block *block, struct hwperf_profile *profile);
bool hwperf_block_is_profiled(const struct hwperf_block *block);
/* The memory that its buckets are in: VM, if nobody has said since the profile was set. */
const struct vm *hwperf_block_vm(struct hwperf_block *block, const struct vm *vm);
/* As hwperf_profile_take. What was taken could not be brought there. Any context. */
uint64_t hwperf_block_take_hits(struct hwperf_block *block, uint32_t *hits);
void hwperf_block_miss(struct hwperf_block *block, uint32_t hits);
/* Hits of buckets, and of none. Any context. */
void hwperf_block_hits(struct hwperf_block *block, uint64_t *counted, uint64_t *missed);

/* A thread of the block's; NULL: no memory. It counts nothing yet. */
struct hwperf_member *hwperf_member_create(struct hwperf_block *block, struct lwp *l);
/* Begins with the first event of each side: 0, ENODEV, ENOMEM; EBUSY: somebody else counts the
 * thread, or has the counters. */
int hwperf_member_start(struct hwperf_member *member);
/* It has counted what it has; more than once is harmless. */
void hwperf_member_stop(struct hwperf_member *member);
/* By its thread. */
void hwperf_member_free(struct hwperf_member *member);
/* The calling thread is new, and gives back what it has inherited, for a member of its own. */
void hwperf_disinherit(void);
