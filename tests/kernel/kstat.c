/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of kstats in the kernel: the reader's loop, the real clock, deletion while others read. */
#include <kstat.h>
#include "kernel/thread/mutex.h"
#include "tests/kernel/selftest.h"
#include "kernel/lock/spinlock.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "tests/kernel/crowd.h"

#define MODULE "selftest"

static unsigned displayed;

static void my_io_display(kstat_io_t kio)
{
    if (kio.nread == 4711)
        displayed++;
}

/* The loop of the manual page. */
static void display_all(void)
{
    kstat_ctl_t *kc;
    kstat_t *ksp;
    kstat_io_t kio;

    kc = kstat_open();
    for (ksp = kc->kc_chain; ksp != NULL; ksp = ksp->ks_next) {
        if (ksp->ks_type == KSTAT_TYPE_IO) {
            kstat_read(kc, ksp, &kio);
            my_io_display(kio);
        }
    }
    kstat_close(kc);
}

SELFTEST(kstat_loop, "kstat-loop", "the manual's loop reads the I/O kstat that was made")
{
    kstat_t *ksp = kstat_create(MODULE, 0, "disk", "disk", KSTAT_TYPE_IO, 1, 0);

    SELFTEST_CHECK(ksp != NULL);
    KSTAT_IO_PTR(ksp)->nread = 4711;
    displayed = 0;
    display_all();
    SELFTEST_EQUAL(displayed, 0); /* not installed */
    kstat_install(ksp);
    display_all();
    kstat_delete(ksp);
    SELFTEST_EQUAL(displayed, 1);
    display_all();
    SELFTEST_EQUAL(displayed, 1);
    return 0;
}

SELFTEST(kstat_errors, "kstat-errors", "collision, unknown, not writable, deleted: each its number")
{
    kstat_t *ksp = kstat_create(MODULE, 0, "errors", "misc", KSTAT_TYPE_NAMED, 1, 0);
    kstat_ctl_t *kc;
    kstat_t *mine;
    kid_t read, written, gone;
    int read_only, unknown;

    SELFTEST_CHECK(ksp != NULL);
    kstat_named_init(ksp->ks_data, "value", KSTAT_DATA_UINT64);
    kstat_install(ksp);
    kc = kstat_open();
    SELFTEST_CHECK(kc != NULL);
    mine = kstat_lookup(kc, MODULE, 0, "errors");
    SELFTEST_CHECK(mine != NULL);
    read = kstat_read(kc, mine, NULL);
    SELFTEST_CHECK(kstat_data_lookup(mine, "value") == mine->ks_data);
    written = kstat_write(kc, mine, NULL);
    read_only = kstat_errno;
    kstat_delete(ksp);
    gone = kstat_read(kc, mine, NULL);
    unknown = kstat_errno;
    SELFTEST_EQUAL(read, kc->kc_chain_id);
    SELFTEST_CHECK(written == -1 && read_only == EACCES);
    SELFTEST_CHECK(gone == -1 && unknown == ENXIO);
    SELFTEST_CHECK(kstat_chain_update(kc) > 0 && kstat_lookup(kc, MODULE, 0, "errors") == NULL);
    SELFTEST_EQUAL(kstat_errno, ENOENT);
    kstat_close(kc);
    return 0;
}

SELFTEST(kstat_time, "kstat-time", "a queue of length 2 for 5 ms: its sums from one clock")
{
    kstat_io_t io;
    kstat_timer_t timer;
    hrtime_t took;

    memset(&io, 0, sizeof io);
    kstat_timer_init(&timer, "sleep");
    kstat_runq_enter(&io);
    kstat_runq_enter(&io);
    took = io.rlastupdate;
    kstat_timer_start(&timer);
    thread_sleep(5000000);
    kstat_timer_stop(&timer);
    kstat_runq_exit(&io);
    took = io.rlastupdate - took;
    SELFTEST_CHECK(took >= 5000000 && io.rtime >= took);
    SELFTEST_CHECK(io.rlentime - io.rtime == took);
    SELFTEST_CHECK(timer.num_events == 1 && timer.elapsed_time >= 5000000 &&
                   timer.elapsed_time <= took && timer.min_time == timer.max_time);
    return 0;
}

/* Drivers here never put back what they have begun: the block layer does that, in its own sums. */
SELFTEST(kstat_back, "kstat-back", "what goes back to the wait queue: all its time, in either sum")
{
    hrtime_t came, begun, back;
    kstat_io_t io;

    memset(&io, 0, sizeof io);
    kstat_waitq_enter(&io);
    came = io.wlastupdate;
    thread_sleep(1000000);
    kstat_waitq_to_runq(&io);
    begun = io.rlastupdate;
    SELFTEST_CHECK(io.wcnt == 0 && io.rcnt == 1 && io.wtime == begun - came);
    thread_sleep(2000000);
    kstat_runq_back_to_waitq(&io);
    back = io.rlastupdate;
    SELFTEST_CHECK(io.wcnt == 1 && io.rcnt == 0 && io.rtime == back - begun);
    thread_sleep(1000000);
    kstat_waitq_exit(&io);
    SELFTEST_CHECK(io.wcnt == 0 && io.rcnt == 0);
    SELFTEST_CHECK(begun - came >= 1000000 && back - begun >= 2000000);
    SELFTEST_CHECK(io.rtime == back - begun && io.rlentime == io.rtime);
    SELFTEST_CHECK(io.wtime + io.rtime == io.wlastupdate - came && io.wlentime == io.wtime);
    return 0;
}

#define ROUNDS 100

/* What goes away with its kstat. */
struct owner {
    volatile bool alive;
    kmutex_t lock;
};

static volatile bool making;
static volatile unsigned dead_calls;

static int slow_update(kstat_t *ksp, int rw)
{
    const struct owner *owner = ksp->ks_private;

    (void)rw;
    dead_calls += !owner->alive;
    thread_yield();
    dead_calls += !owner->alive;
    return 0;
}

static void make_and_unmake(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct owner owner = {.alive = true};
        kstat_t *ksp = kstat_create(MODULE, 0, "owned", "misc", KSTAT_TYPE_INTR, 1, 0);

        if (ksp == NULL) {
            dead_calls++;
            break;
        }
        mutex_init(&owner.lock, "kstat test");
        ksp->ks_lock = &owner.lock;
        ksp->ks_private = &owner;
        ksp->ks_update = slow_update;
        kstat_install(ksp);
        thread_yield();
        kstat_delete(ksp);
        owner.alive = false;
        mutex_destroy(&owner.lock);
    }
    making = false;
}

static struct spinlock turn_lock = SPINLOCK_INITIALIZER("kstat test turn");
static unsigned turn; /* under it */

static unsigned take_turn(void)
{
    uintptr_t state = spinlock_acquire(&turn_lock);
    unsigned mine = turn++;

    spinlock_release(&turn_lock, state);
    return mine;
}

/* The first makes, the others read. */
static void make_or_read(void *unused)
{
    kstat_ctl_t *kc;

    (void)unused;
    if (take_turn() == 0) {
        make_and_unmake();
        return;
    }
    kc = kstat_open();
    while (kc != NULL && making) {
        kstat_t *ksp;

        kstat_chain_update(kc);
        ksp = kstat_lookup(kc, MODULE, 0, "owned");
        if (ksp != NULL)
            kstat_read(kc, ksp, NULL);
        thread_yield();
    }
    kstat_close(kc);
}

SELFTEST(kstat_delete_waits, "kstat-delete-waits",
         "100 kstats deleted while 2 threads read: no call for one that is gone")
{
    making = true;
    turn = 0;
    dead_calls = 0;
    if (crowd_run(3, make_or_read, NULL) != 0)
        return 1;
    SELFTEST_EQUAL(dead_calls, 0);
    return 0;
}
