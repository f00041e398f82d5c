/* SPDX-License-Identifier: BSD-2-Clause */
/* What another thread has counted is read while it waits, without a tick in between. */
#include "kernel/hwperf/hwperf_private.h"
#include "kernel/thread/condvar.h"
#include "kernel/thread/thread.h"
#include "tests/kernel/hwperf_spec.h"
#include "tests/kernel/pmu_code.h"
#include "tests/kernel/selftest.h"

#define TURNS  100000ull
#define LOOP   (CODE_LOOP_TURN * TURNS)
#define AROUND (LOOP / 2) /* counted besides at most: calls, and switches */
#define NAP    1000000ull

static struct hwperf_control control;
static uint64_t counts[HWPERF_EVENTS];
static struct hwperf_block *block;
static kmutex_t gate;
static kcondvar_t opened;
static bool over; /* gate */
static volatile bool ready;
static int begun;

/* Counts one loop, and waits without running. */
static void hwperf_other_count(void *unused)
{
    struct hwperf_member *m;

    (void)unused;
    mutex_enter(&hwperf_lock);
    m = hwperf_member_create(block, curlwp);
    begun = m ? hwperf_member_start(m) : -1;
    mutex_exit(&hwperf_lock);
    pmu_code_kernel(&pmu_code_loop, TURNS);
    mutex_enter(&gate);
    ready = true;
    while (!over)
        cv_wait(&opened, &gate);
    mutex_exit(&gate);
    mutex_enter(&hwperf_lock);
    if (m)
        hwperf_member_free(m);
    mutex_exit(&hwperf_lock);
}

static int hwperf_other_look(void)
{
    uint64_t all = 0;

    SELFTEST_EQUAL(begun, 0);
    mutex_enter(&hwperf_lock);
    (void)hwperf_block_read(block, counts);
    mutex_exit(&hwperf_lock);
    for (unsigned i = 0; i < HWPERF_EVENTS; i++)
        all += i != INSTRUCTIONS && i != CYCLES_1 ? counts[i] : 0;
    SELFTEST_EQUAL(all, 0);
    SELFTEST_CHECK(counts[CYCLES_1] > 0);
    if (counts[INSTRUCTIONS] < LOOP || counts[INSTRUCTIONS] > LOOP + AROUND)
        return selftest_fail("%lu instructions, not %lu and a little",
                             (unsigned long)counts[INSTRUCTIONS], (unsigned long)LOOP);
    return 0;
}

SELFTEST_COUNTERS(hwperf_other, "hwperf-other", "what another thread has counted, as it waits")
{
    struct thread *thread;
    int result;

    hwperf_boot();
    if (hwperf_counter(0) < 0 || !hwperf_event_name(INSTRUCTIONS))
        return selftest_skip("no counter counts instructions here");
    control.spec[INSTRUCTIONS] = hwperf_spec_of(INSTRUCTIONS);
    control.spec[CYCLES_1] = hwperf_spec_of(CYCLES_1);
    block = hwperf_block_create();
    SELFTEST_CHECK(block != NULL);
    mutex_enter(&hwperf_lock);
    hwperf_block_set(block, &control, true);
    mutex_exit(&hwperf_lock);
    mutex_init(&gate, "hwperf test");
    cv_init(&opened, "hwperf test");
    ready = over = false;
    SELFTEST_EQUAL(
        thread_create("hwperf-other", THREAD_PRIORITY_NORMAL, hwperf_other_count, NULL, &thread),
        0);
    while (!ready)
        thread_sleep(NAP);
    mutex_enter(&gate); /* which it has let go of, so it sleeps */
    result = hwperf_other_look();
    over = true;
    cv_broadcast(&opened);
    mutex_exit(&gate);
    thread_join(thread);
    cv_destroy(&opened);
    mutex_destroy(&gate);
    hwperf_block_free(block);
    return result;
}
