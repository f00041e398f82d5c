/* SPDX-License-Identifier: BSD-2-Clause */
/* Queues and timers of kstats, the clock turned by hand: every sum to the nanosecond. */
#include <kstat.h>

#include "stats/kstat/kstat_queue.h"
#include "tests/host/kstat_check.h"

#include <quipu_host.h>
#include <string.h>

/* The picture in <sys/kstat.h>: lengths 2, 4, 3, 8, 0 from the times 0, 10, 15, 27, 40. */
TEST(kstat_queue_riemann_sum)
{
    static const struct {
        uint64_t at;
        uint_t length;
    } steps[] = {{100, 2}, {110, 4}, {115, 3}, {127, 8}, {140, 0}};
    kstat_io_t io = {0};

    for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        host_clock_set(steps[i].at);
        while (io.rcnt < steps[i].length)
            kstat_runq_enter(&io);
        while (io.rcnt > steps[i].length)
            kstat_runq_exit(&io);
    }
    CHECK_IS(io.rlentime, 10 * 2 + 5 * 4 + 12 * 3 + 13 * 8);
    CHECK_IS(io.rtime, 40);
    CHECK_IS(io.rlastupdate, 140);
    CHECK_IS(io.wtime + io.wlentime + io.wlastupdate, 0);
    host_clock_set(1000); /* idle time counts for nothing */
    kstat_runq_enter(&io);
    CHECK_IS(io.rtime, 40);
    CHECK_IS(io.rlentime, 180);
    CHECK_IS(io.rlastupdate, 1000);
}

TEST(kstat_queue_moves_take_one_time)
{
    kstat_io_t io = {0};

    host_clock_set(10);
    kstat_waitq_enter(&io);
    host_clock_set(15);
    kstat_waitq_to_runq(&io);
    CHECK_IS(io.wcnt, 0);
    CHECK_IS(io.rcnt, 1);
    CHECK_IS(io.wtime, 5);
    CHECK_IS(io.wlastupdate, 15);
    CHECK_IS(io.rlastupdate, 15);
    host_clock_set(22);
    kstat_runq_back_to_waitq(&io);
    CHECK_IS(io.rtime, 7);
    CHECK_IS(io.wcnt, 1);
    host_clock_set(25);
    kstat_waitq_exit(&io);
    CHECK_IS(io.wtime, 8);
    CHECK_IS(io.wlentime, 8);
    CHECK_IS(io.rlentime, 7);
}

/* Against a sum that goes through every nanosecond. */
TEST(kstat_queue_random_walk)
{
    kstat_io_t io = {0};
    uint64_t waiting = 0, running = 0, wtime = 0, rtime = 0, wlentime = 0, rlentime = 0;
    uint64_t seed = 1;
    hrtime_t now = 0;

    for (unsigned step = 0; step < 20000; step++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        for (unsigned ns = (unsigned)(seed >> 60); ns > 0; ns--, now++) {
            wtime += waiting != 0;
            rtime += running != 0;
            wlentime += waiting;
            rlentime += running;
        }
        if ((seed >> 33) % 2 == 0) {
            kstat_waitq_enter_at(&io, now);
            waiting++;
        } else if ((seed >> 34) % 2 == 0 && waiting > 0) {
            kstat_waitq_to_runq_at(&io, now);
            waiting--;
            running++;
        } else if ((seed >> 35) % 4 == 0 && running > 0) {
            kstat_runq_back_to_waitq_at(&io, now);
            waiting++;
            running--;
        } else if (running > 0) {
            kstat_runq_exit_at(&io, now);
            running--;
        }
    }
    kstat_queue_copy(&io, &io, now);
    CHECK_IS(io.wcnt, waiting);
    CHECK_IS(io.rcnt, running);
    CHECK_IS(io.wtime, wtime);
    CHECK_IS(io.rtime, rtime);
    CHECK_IS(io.wlentime, wlentime);
    CHECK_IS(io.rlentime, rlentime);
}

static void wait_exit(void *io)
{
    kstat_waitq_exit(io);
}

static void run_exit(void *io)
{
    kstat_runq_exit(io);
}

static void wait_to_run(void *io)
{
    kstat_waitq_to_runq(io);
}

static void back_to_wait(void *io)
{
    kstat_runq_back_to_waitq(io);
}

TEST(kstat_queue_exit_from_empty_panics)
{
    kstat_io_t io = {0};
    kstat_io_t zero = {0};

    CHECK_PANIC(wait_exit, &io, "kstat_waitq_exit: the queue is empty");
    CHECK_PANIC(run_exit, &io, "kstat_runq_exit: the queue is empty");
    CHECK_PANIC(wait_to_run, &io, "kstat_waitq_exit: the queue is empty");
    CHECK_PANIC(back_to_wait, &io, "kstat_runq_exit: the queue is empty");
    CHECK(memcmp(&io, &zero, sizeof io) == 0);
}

TEST(kstat_queue_is_extended_in_the_copy_only)
{
    kstat_t *ksp = kstat_create("disk", 0, "disk0", "disk", KSTAT_TYPE_IO, 1, 0);
    kstat_io_t *io = KSTAT_IO_PTR(ksp);
    kstat_io_t before;
    kstat_io_t copy;
    kstat_ctl_t *kc;

    host_clock_set(100);
    kstat_waitq_enter(io);
    kstat_waitq_enter(io);
    kstat_runq_enter(io);
    host_clock_set(110);
    kstat_runq_exit(io);
    kstat_install(ksp);
    before = *io;
    kc = kstat_open();
    host_clock_set(130);
    CHECK(kstat_read(kc, kstat_lookup(kc, "disk", 0, "disk0"), &copy) > 0);
    CHECK(memcmp(&before, io, sizeof before) == 0);
    CHECK_IS(copy.wtime, 30);
    CHECK_IS(copy.wlentime, 60);
    CHECK_IS(copy.wlastupdate, 130);
    CHECK_IS(copy.rtime, 10); /* its queue is empty */
    CHECK_IS(copy.rlastupdate, 110);
    CHECK_IS(kstat_lookup(kc, "disk", 0, "disk0")->ks_snaptime, 130);
    kstat_queue_copy(&copy, io, 50); /* a time before the last change */
    CHECK(memcmp(&copy, io, sizeof copy) == 0);
    kstat_close(kc);
}

static void timed(kstat_timer_t *timer, uint64_t from, uint64_t to)
{
    host_clock_set(from);
    kstat_timer_start(timer);
    host_clock_set(to);
    kstat_timer_stop(timer);
}

TEST(kstat_timer_sums)
{
    kstat_timer_t timer;

    kstat_timer_init(&timer, "event");
    timed(&timer, 100, 150);
    CHECK_IS(timer.min_time, 50);
    CHECK_IS(timer.max_time, 50);
    timed(&timer, 200, 220);
    timed(&timer, 300, 400);
    timed(&timer, 500, 500);
    CHECK_IS(timer.num_events, 4);
    CHECK_IS(timer.elapsed_time, 170);
    CHECK_IS(timer.min_time, 0);
    CHECK_IS(timer.max_time, 100);
    CHECK_IS(timer.start_time, 500);
    CHECK_IS(timer.stop_time, 500);
}
