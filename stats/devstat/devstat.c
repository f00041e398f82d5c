/* SPDX-License-Identifier: BSD-2-Clause */
/* One device's record: starts and ends of transactions, and copies. See <sys/devicestat.h>. */
#include <sys/devicestat.h>

#include <sys/bio.h>
#include <sys/evcnt.h>

#include "lib/errno.h"
#include "stats/devstat/devstat_list.h"
#include "stats/devstat/devstat_record.h"
#include "stats/port.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define COPY_TRIES    1000
#define REPORTS_MAX   3 /* lines in the log for each device */

/* The layout is an interface: kern.devstat.quipu.all. */
_Static_assert(offsetof(struct devstat, dev_links) == 8, "layout");
_Static_assert(offsetof(struct devstat, device_number) == 16, "layout");
_Static_assert(offsetof(struct devstat, device_name) == 24, "layout");
_Static_assert(offsetof(struct devstat, block_size) == 40, "layout");
_Static_assert(offsetof(struct devstat, bytes_read) == 56, "layout");
_Static_assert(offsetof(struct devstat, busy_count) == 136, "layout");
_Static_assert(offsetof(struct devstat, dev_creation_time) == 144, "layout");
_Static_assert(offsetof(struct devstat, creation_ns) == 208, "layout");
_Static_assert(offsetof(struct devstat, service) == 280, "layout");
_Static_assert(sizeof(struct devstat) == 808, "layout");

static struct evcnt unmatched =
    EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "devstat", "end without start");

static void devstat_set_time(struct timeval *time, uint64_t ns)
{
    uint64_t seconds = ns / NS_PER_SECOND;

    DEVSTAT_SET(time->tv_sec, (time_t)seconds);
    DEVSTAT_SET(time->tv_usec, (__typeof__(time->tv_usec))((ns - seconds * NS_PER_SECOND) / 1000));
}

/* The classic times, from those in nanoseconds. */
static void devstat_set_classic_times(struct devstat *ds)
{
    devstat_set_time(&ds->busy_time, ds->busy_ns);
    devstat_set_time(&ds->start_time, ds->start_ns);
    devstat_set_time(&ds->last_comp_time, ds->last_ns);
}

struct evcnt *devstat_unmatched(void)
{
    return &unmatched;
}

void devstat_begin_record(struct devstat *ds, const char *dev_name, uint64_t now, uint64_t wall)
{
    unsigned at = 0;

    for (; at < DEVSTAT_NAME_LEN - 1 && dev_name[at] != '\0'; at++)
        ds->device_name[at] = dev_name[at];
    ds->device_name[at] = '\0';
    devstat_set_time(&ds->dev_creation_time, wall);
    ds->creation_ns = now;
}

void devstat_start_transaction_held(struct devstat *ds, uint64_t now)
{
    if (ds == NULL)
        return;
    devstat_begin_change(ds);
    devstat_start(ds, now);
    devstat_end_change(ds);
}

/* The same for those who do not hold a lock of their own, and may look at the classic times. */
static void devstat_start_classic(struct devstat *ds, uint64_t now)
{
    devstat_begin_change(ds);
    devstat_start(ds, now);
    devstat_set_classic_times(ds);
    devstat_end_change(ds);
}

static bool devstat_end_classic(struct devstat *ds, uint32_t bytes, devstat_tag_type tag_type,
                                devstat_trans_flags flags, uint64_t now, uint64_t then)
{
    bool started;

    devstat_begin_change(ds);
    started = devstat_end(ds, bytes, tag_type, flags, now, then);
    devstat_set_classic_times(ds);
    devstat_end_change(ds);
    return started;
}

static __attribute__((cold)) void devstat_report_unmatched(const struct devstat *ds, uint64_t times)
{
    evcnt_incr(&unmatched);
    if (times <= REPORTS_MAX)
        stats_port_log("devstat: %s%d: a transaction ended that had not started", ds->device_name,
                       ds->unit_number);
}

void devstat_end_transaction_held(struct devstat *ds, u_int32_t bytes, devstat_tag_type tag_type,
                                  devstat_trans_flags flags, uint64_t now, uint64_t then)
{
    bool started;

    if (ds == NULL)
        return;
    devstat_begin_change(ds);
    started = devstat_end(ds, bytes, tag_type, flags, now, then);
    devstat_end_change(ds);
    if (__builtin_expect(!started, 0))
        devstat_report_unmatched(ds, ds->unmatched_ends);
}

/* Reads the clock under the lock, so that times do not overtake each other. */
void devstat_start_transaction(struct devstat *ds)
{
    uintptr_t state;

    if (ds == NULL)
        return;
    state = stats_port_lock();
    devstat_start_classic(ds, stats_port_time_ns());
    stats_port_unlock(state);
}

void devstat_start_transaction_at(struct devstat *ds, uint64_t now)
{
    uintptr_t state;

    if (ds == NULL)
        return;
    state = stats_port_lock();
    devstat_start_classic(ds, now);
    stats_port_unlock(state);
}

void devstat_end_transaction(struct devstat *ds, u_int32_t bytes, devstat_tag_type tag_type,
                             devstat_trans_flags flags)
{
    uintptr_t state;
    uint64_t times;
    bool started;

    if (ds == NULL)
        return;
    state = stats_port_lock();
    started =
        devstat_end_classic(ds, bytes, tag_type, flags, stats_port_time_ns(), DEVSTAT_NO_START);
    times = ds->unmatched_ends;
    stats_port_unlock(state);
    if (!started)
        devstat_report_unmatched(ds, times);
}

void devstat_end_transaction_at(struct devstat *ds, u_int32_t bytes, devstat_tag_type tag_type,
                                devstat_trans_flags flags, uint64_t now, uint64_t then)
{
    uintptr_t state;
    uint64_t times;
    bool started;

    if (ds == NULL)
        return;
    state = stats_port_lock();
    started = devstat_end_classic(ds, bytes, tag_type, flags, now, then);
    times = ds->unmatched_ends;
    stats_port_unlock(state);
    if (!started)
        devstat_report_unmatched(ds, times);
}

static devstat_trans_flags devstat_flags_of(const struct bio *bp)
{
    switch (bp->bio_cmd) {
    case BIO_READ:
        return DEVSTAT_READ;
    case BIO_WRITE:
        return DEVSTAT_WRITE;
    case BIO_DELETE:
        return DEVSTAT_FREE;
    default:
        return DEVSTAT_NO_DATA;
    }
}

void devstat_end_transaction_bio(struct devstat *ds, struct bio *bp)
{
    if (ds == NULL || bp == NULL)
        return;
    devstat_end_transaction_at(
        ds, bp->bio_bcount > bp->bio_resid ? (u_int32_t)(bp->bio_bcount - bp->bio_resid) : 0,
        (bp->bio_flags & BIO_ORDERED) != 0 ? DEVSTAT_TAG_ORDERED : DEVSTAT_TAG_SIMPLE,
        devstat_flags_of(bp), stats_port_time_ns(),
        bp->bio_t0 != 0 ? bp->bio_t0 : DEVSTAT_NO_START);
}

/* A record is a multiple of 8 bytes, copied word by word from its first sequence to its last. */
int devstat_copy(struct devstat *out, const struct devstat *ds)
{
    typedef uint64_t __attribute__((may_alias)) word;
    const word *from = (const word *)ds;
    word *to = (word *)out;
    size_t words = sizeof(*ds) / sizeof(word);

    for (unsigned tries = 0; tries < COPY_TRIES; tries++) {
        to[0] = __atomic_load_n(&from[0], __ATOMIC_ACQUIRE);
        for (size_t i = 1; i < words - 1; i++)
            to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        to[words - 1] = __atomic_load_n(&from[words - 1], __ATOMIC_RELAXED);
        if (!devstat_torn(out)) {
            devstat_set_classic_times(out);
            return 0;
        }
    }
    return -EAGAIN;
}

void devstat_extend(struct devstat *copy, uint64_t now)
{
    if (copy->busy_count > 0 && now > copy->start_ns) {
        copy->busy_ns += now - copy->start_ns;
        copy->start_ns = now;
        devstat_set_time(&copy->busy_time, copy->busy_ns);
    }
}
