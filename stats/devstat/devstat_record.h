/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a record of <sys/devicestat.h> changes, inlined for those who record every request and hold a
 * lock of their own. Between devstat_begin_change and devstat_end_change.
 */
#ifndef STATS_DEVSTAT_RECORD_H
#define STATS_DEVSTAT_RECORD_H

#include <sys/devicestat.h>

/* The thread sanitizer does not know fences; the words of a record are accessed as atomics. */
#if defined(__SANITIZE_THREAD__)
#pragma GCC diagnostic ignored "-Wtsan"
#endif

/* Readers look at any time: every word is stored whole. */
#if defined(__SANITIZE_THREAD__)
#define DEVSTAT_SET(lvalue, value) __atomic_store_n(&(lvalue), (value), __ATOMIC_RELAXED)
#define DEVSTAT_ADD(lvalue, more)  DEVSTAT_SET(lvalue, (lvalue) + (more))
#else
#define DEVSTAT_SET(lvalue, value) ((lvalue) = (value))
#define DEVSTAT_ADD(lvalue, more)  ((lvalue) += (more))
#endif

/* What the _held calls are made of is inlined into them: a request should cost little. */
#define DEVSTAT_INLINE static inline __attribute__((always_inline))

DEVSTAT_INLINE void devstat_begin_change(struct devstat *ds)
{
    DEVSTAT_ADD(ds->sequence1, 1);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

DEVSTAT_INLINE void devstat_end_change(struct devstat *ds)
{
    __atomic_store_n(&ds->sequence0, ds->sequence1, __ATOMIC_RELEASE);
}

DEVSTAT_INLINE void devstat_start(struct devstat *ds, uint64_t now)
{
    if (ds->busy_count == 0)
        DEVSTAT_SET(ds->start_ns, now);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    DEVSTAT_ADD(ds->busy_count, 1);
}

DEVSTAT_INLINE void devstat_add_operation(struct devstat *ds, uint64_t bytes,
                                          devstat_trans_flags flags)
{
    if (flags == DEVSTAT_READ) { /* first, since it is the most frequent */
        DEVSTAT_ADD(ds->bytes_read, bytes);
        DEVSTAT_ADD(ds->num_reads, 1);
        return;
    }
    switch (flags) {
    case DEVSTAT_WRITE:
        DEVSTAT_ADD(ds->bytes_written, bytes);
        DEVSTAT_ADD(ds->num_writes, 1);
        break;
    case DEVSTAT_FREE:
        DEVSTAT_ADD(ds->bytes_freed, bytes);
        DEVSTAT_ADD(ds->num_frees, 1);
        break;
    case DEVSTAT_READ:
    case DEVSTAT_NO_DATA:
    default:
        DEVSTAT_ADD(ds->num_other, 1);
    }
}

DEVSTAT_INLINE void devstat_add_duration(struct devstat *ds, devstat_trans_flags flags, uint64_t ns)
{
    unsigned kind = (unsigned)flags < DEVSTAT_N_TRANS_FLAGS ? (unsigned)flags : DEVSTAT_NO_DATA;

    DEVSTAT_ADD(ds->duration_ns[kind], ns);
    DEVSTAT_ADD(ds->service.bucket[histogram_bucket_of(ns)], 1);
}

/* One transaction fewer; the last one ends the time for which the device was busy. */
DEVSTAT_INLINE void devstat_leave(struct devstat *ds, uint64_t now)
{
    DEVSTAT_SET(ds->last_ns, now);
    DEVSTAT_ADD(ds->busy_count, -1);
    if (ds->busy_count == 0 && now > ds->start_ns)
        DEVSTAT_ADD(ds->busy_ns, now - ds->start_ns);
}

/* The whole end of a transaction that began at THEN and that the device served from SERVED on, none
 * of them after NOW; its tag, if the device has any, is a simple one. FLAGS is a constant. */
DEVSTAT_INLINE void devstat_end_started(struct devstat *ds, uint64_t bytes,
                                        devstat_trans_flags flags, uint64_t now, uint64_t then,
                                        uint64_t served)
{
    u_int64_t sequence = ds->sequence1 + 1;

    DEVSTAT_SET(ds->sequence1, sequence);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    devstat_add_operation(ds, bytes, flags);
    if ((ds->flags & DEVSTAT_NO_ORDERED_TAGS) == 0)
        DEVSTAT_ADD(ds->tag_types[DEVSTAT_TAG_SIMPLE], 1);
    DEVSTAT_ADD(ds->duration_ns[flags], now - then);
    DEVSTAT_ADD(ds->service.bucket[histogram_bucket_inline(now - served)], 1);
    DEVSTAT_SET(ds->last_ns, now);
    DEVSTAT_ADD(ds->busy_count, -1);
    if (ds->busy_count == 0)
        DEVSTAT_ADD(ds->busy_ns, now - ds->start_ns);
    __atomic_store_n(&ds->sequence0, sequence, __ATOMIC_RELEASE);
}

/* False if it had not started. */
DEVSTAT_INLINE bool devstat_end(struct devstat *ds, uint32_t bytes, devstat_tag_type tag_type,
                                devstat_trans_flags flags, uint64_t now, uint64_t then)
{
    bool started = ds->busy_count > 0;

    devstat_add_operation(ds, bytes, flags);
    if ((unsigned)tag_type < DEVSTAT_TAG_NONE && (ds->flags & DEVSTAT_NO_ORDERED_TAGS) == 0)
        DEVSTAT_ADD(ds->tag_types[tag_type], 1);
    if (then != DEVSTAT_NO_START)
        devstat_add_duration(ds, flags, now > then ? now - then : 0);
    if (started)
        devstat_leave(ds, now);
    else
        DEVSTAT_ADD(ds->unmatched_ends, 1);
    return started;
}

#endif
