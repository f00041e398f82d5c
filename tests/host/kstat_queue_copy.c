/* SPDX-License-Identifier: BSD-2-Clause */
/* A copy of an I/O kstat with both queues occupied stands for its own moment: copied again later,
 * it grows by what has passed since, and by no more. */
#include "stats/kstat/kstat_queue.h"

#include "tests/host/test.h"

/* One waits from 100 on, two run from 110 on. */
TEST(kstat_queue_copied_twice)
{
    kstat_io_t io = {.nread = 7}, copy;

    kstat_waitq_enter_at(&io, 100);
    kstat_runq_enter_at(&io, 110);
    kstat_runq_enter_at(&io, 110);
    kstat_queue_copy(&copy, &io, 140);
    CHECK(copy.nread == 7 && copy.wcnt == 1 && copy.rcnt == 2);
    CHECK(copy.wtime == 40 && copy.wlentime == 40 && copy.wlastupdate == 140);
    CHECK(copy.rtime == 30 && copy.rlentime == 60 && copy.rlastupdate == 140);
    kstat_queue_copy(&copy, &copy, 150);
    CHECK(copy.wtime == 50 && copy.wlentime == 50 && copy.wlastupdate == 150);
    CHECK(copy.rtime == 40 && copy.rlentime == 80 && copy.rlastupdate == 150);
    kstat_queue_copy(&copy, &copy, 150); /* no time has passed */
    CHECK(copy.wtime == 50 && copy.rlentime == 80);
    CHECK(io.wtime == 0 && io.rtime == 0 && io.rlastupdate == 110);
}
