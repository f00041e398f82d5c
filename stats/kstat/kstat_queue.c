/* SPDX-License-Identifier: BSD-2-Clause */
/* The queues and timers of kstats under their classic names, which take the time themselves. */
#include "stats/kstat/kstat_queue.h"

#include "stats/port.h"

static hrtime_t kstat_queue_now_ns(void)
{
    return (hrtime_t)stats_port_time_ns();
}

void kstat_queue_underflow(const char *what)
{
    stats_port_panic("kstat: %s: the queue is empty", what);
}

void kstat_waitq_enter(kstat_io_t *kiop)
{
    kstat_waitq_enter_at(kiop, kstat_queue_now_ns());
}

void kstat_waitq_exit(kstat_io_t *kiop)
{
    kstat_waitq_exit_at(kiop, kstat_queue_now_ns());
}

void kstat_runq_enter(kstat_io_t *kiop)
{
    kstat_runq_enter_at(kiop, kstat_queue_now_ns());
}

void kstat_runq_exit(kstat_io_t *kiop)
{
    kstat_runq_exit_at(kiop, kstat_queue_now_ns());
}

void kstat_waitq_to_runq(kstat_io_t *kiop)
{
    kstat_waitq_to_runq_at(kiop, kstat_queue_now_ns());
}

void kstat_runq_back_to_waitq(kstat_io_t *kiop)
{
    kstat_runq_back_to_waitq_at(kiop, kstat_queue_now_ns());
}

/* A time before the last change leaves that queue as it is. */
void kstat_queue_copy(kstat_io_t *copy, const kstat_io_t *live, hrtime_t now)
{
    hrtime_t gap;

    *copy = *live;
    gap = now - copy->wlastupdate;
    if (copy->wcnt != 0 && gap > 0) {
        copy->wlentime += gap * copy->wcnt;
        copy->wtime += gap;
        copy->wlastupdate = now;
    }
    gap = now - copy->rlastupdate;
    if (copy->rcnt != 0 && gap > 0) {
        copy->rlentime += gap * copy->rcnt;
        copy->rtime += gap;
        copy->rlastupdate = now;
    }
}

void kstat_timer_start(kstat_timer_t *ktp)
{
    ktp->start_time = kstat_queue_now_ns();
}

void kstat_timer_stop(kstat_timer_t *ktp)
{
    hrtime_t took;

    ktp->stop_time = kstat_queue_now_ns();
    took = ktp->stop_time - ktp->start_time;
    ktp->elapsed_time += took;
    if (took < ktp->min_time || ktp->num_events == 0)
        ktp->min_time = took;
    if (took > ktp->max_time)
        ktp->max_time = took;
    ktp->num_events++;
}
