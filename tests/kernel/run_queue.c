/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of a CPU's queue of ready threads, with threads that never run. */
#include "kernel/thread/run_queue.h"
#include "tests/kernel/selftest.h"

#define MADE 4

static struct run_queue queue;
static struct thread made[MADE];

/* Priorities 3, 5, 5, 7. */
static void run_queue_fill(void)
{
    static const unsigned priorities[MADE] = {3, 5, 5, 7};

    run_queue_init(&queue);
    for (unsigned i = 0; i < MADE; i++)
        made[i].priority = (uint8_t)priorities[i];
    run_queue_add(&queue, &made[0]);
    run_queue_add(&queue, &made[2]);
    run_queue_add_first(&queue, &made[1]);
    run_queue_add(&queue, &made[3]);
}

SELFTEST(run_queue_count, "run-queue-count",
         "a run queue counts what is in it, and gives it out by urgency, then in order")
{
    run_queue_fill();
    SELFTEST_EQUAL(queue.count, MADE);
    for (unsigned left = MADE; left > 0; left--) {
        SELFTEST_EQUAL(run_queue_top(&queue), made[left == 3 || left == 2 ? 1 : left - 1].priority);
        SELFTEST_CHECK(run_queue_take(&queue) == &made[left == 3 ? 1 : left == 2 ? 2 : left - 1]);
        SELFTEST_EQUAL(queue.count, left - 1);
    }
    SELFTEST_CHECK(run_queue_take(&queue) == NULL);
    SELFTEST_EQUAL(queue.count, 0);
    SELFTEST_EQUAL(run_queue_top(&queue), -1);
    return 0;
}

SELFTEST(run_queue_removed, "run-queue-removed", "what is taken out of its middle is not counted")
{
    run_queue_fill();
    SELFTEST_CHECK(run_queue_remove(&queue, &made[2]));
    SELFTEST_CHECK(!run_queue_remove(&queue, &made[2]));
    SELFTEST_EQUAL(queue.count, MADE - 1);
    SELFTEST_CHECK(run_queue_take(&queue) == &made[3]);
    SELFTEST_CHECK(run_queue_take(&queue) == &made[1]);
    SELFTEST_CHECK(run_queue_take(&queue) == &made[0]);
    SELFTEST_EQUAL(queue.count, 0);
    return 0;
}
