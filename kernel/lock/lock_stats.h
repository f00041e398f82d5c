/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the checked build keeps of each lock. A lock in the kernel's own data has a record for
 * itself, listed from its first use on; those that come and go (on stacks, in allocated memory) and
 * those of a table are summed under their name. The release build keeps nothing: LOCK_STATS says
 * which one this is.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef QUIPU_CHECKED
#define LOCK_STATS         1
#define LOCK_RECORD(field) struct lock_record field;
#define LOCK_RECORD_SUMMED .record = {.summed = true}
#else
#define LOCK_STATS 0
#define LOCK_RECORD(field)
#define LOCK_RECORD_SUMMED
#endif

/* All times in cycles. */
struct lock_counts {
    uint64_t acquired;
    uint64_t contended; /* those that found it taken */
    uint64_t waited, waited_most;
    uint64_t held, held_most;
};

struct lock_record {
    struct lock_record *next;   /* listed */
    const char *name;           /* NULL: not used yet */
    struct lock_record *shared; /* what counts instead, for locks that come and go */
    struct lock_counts counts;  /* its holder writes */
    uint16_t class;             /* see lock_order.h */
    bool sleeping;              /* of a mutex */
    bool summed;                /* one of many locks that are summed under their name */
    uint32_t cpu, thread;       /* its holder: CPU number + 1, or 0 if it is free; thread's id */
};

/* What lockstat prints. The numbers of one lock may be an acquisition apart. */
struct lock_report {
    const char *name;
    struct lock_counts counts; /* times in nanoseconds */
    uint32_t cpu, thread;
    bool sleeping;
    bool sum; /* of locks that come and go */
};

#if LOCK_STATS

/* The lock of RECORD is made, perhaps in memory where there was one before: it begins anew, but for
 * what was counted of a listed one. */
void lock_stats_reset(struct lock_record *record);
/* First use: gives RECORD of a lock called NAME its class and its place in the list. Several CPUs
 * may be the first at once. Interrupts off. */
void lock_stats_begin(struct lock_record *record, const char *name, bool sleeping);
/* It was taken after WAITED cycles, 0 if it was free; it was held for CYCLES. By its holder. */
void lock_stats_taken(struct lock_record *record, bool contended, uint64_t waited);
void lock_stats_left(struct lock_record *record, uint64_t cycles);
/* Copies up to MAX reports; returns how many there are. Thread context. */
unsigned lock_stats_get(struct lock_report *out, unsigned max);

#else

static inline unsigned lock_stats_get(struct lock_report *out, unsigned max)
{
    (void)out;
    (void)max;
    return 0;
}

#endif
