/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arithmetic of a kstat_io_t's two queues with a time that the caller took, so that several
 * records of one event agree to the nanosecond. No locks: the caller holds the one that guards the
 * record, and takes the time while it holds it. Any context.
 *
 * A record that is changed under a spinlock cannot use ks_lock, which sleeps. It keeps its
 * kstat_io_t apart, makes its kstat virtual, and has ks_snapshot copy it under that spinlock by
 * kstat_queue_copy.
 */
#ifndef STATS_KSTAT_QUEUE_H
#define STATS_KSTAT_QUEUE_H

#include <sys/kstat.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Something leaves a queue that is empty: panics. */
void kstat_queue_underflow(const char *what) __attribute__((noreturn, cold));

static inline void kstat_waitq_enter_at(kstat_io_t *kiop, hrtime_t now)
{
    hrtime_t delta = now - kiop->wlastupdate;
    uint_t count = kiop->wcnt++;

    kiop->wlastupdate = now;
    if (count != 0) {
        kiop->wlentime += delta * count;
        kiop->wtime += delta;
    }
}

static inline void kstat_waitq_exit_at(kstat_io_t *kiop, hrtime_t now)
{
    hrtime_t delta = now - kiop->wlastupdate;
    uint_t count = kiop->wcnt;

    if (__builtin_expect(count == 0, 0))
        kstat_queue_underflow("kstat_waitq_exit");
    kiop->wcnt = count - 1;
    kiop->wlastupdate = now;
    kiop->wlentime += delta * count;
    kiop->wtime += delta;
}

static inline void kstat_runq_enter_at(kstat_io_t *kiop, hrtime_t now)
{
    hrtime_t delta = now - kiop->rlastupdate;
    uint_t count = kiop->rcnt++;

    kiop->rlastupdate = now;
    if (count != 0) {
        kiop->rlentime += delta * count;
        kiop->rtime += delta;
    }
}

static inline void kstat_runq_exit_at(kstat_io_t *kiop, hrtime_t now)
{
    hrtime_t delta = now - kiop->rlastupdate;
    uint_t count = kiop->rcnt;

    if (__builtin_expect(count == 0, 0))
        kstat_queue_underflow("kstat_runq_exit");
    kiop->rcnt = count - 1;
    kiop->rlastupdate = now;
    kiop->rlentime += delta * count;
    kiop->rtime += delta;
}

static inline void kstat_waitq_to_runq_at(kstat_io_t *kiop, hrtime_t now)
{
    kstat_waitq_exit_at(kiop, now);
    kstat_runq_enter_at(kiop, now);
}

static inline void kstat_runq_back_to_waitq_at(kstat_io_t *kiop, hrtime_t now)
{
    kstat_runq_exit_at(kiop, now);
    kstat_waitq_enter_at(kiop, now);
}

/* Copies LIVE, and extends the copy's queues, where they are not empty, to NOW. */
void kstat_queue_copy(kstat_io_t *copy, const kstat_io_t *live, hrtime_t now);

#ifdef __cplusplus
}
#endif

#endif
