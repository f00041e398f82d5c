/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The moments of requests: one that is begun because another has ended begins at that very moment,
 * whether the driver ends requests later or while it starts them; one that is never begun waits
 * until it is given up; one that came late is not late because an older one was.
 */
#include <arch/interrupt_flag.h>
#include <kstat.h>
#include "kernel/block/block.h"
#include "kernel/time/clock.h"
#include "kernel/memory/kmem.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"

#define REQUESTS 4
#define MOMENT   20000 /* ns that a request takes in a driver that ends it at once */

static struct block_device *device; /* kept: others may be at it in the list of devices */
static struct block_request *requests, *held;
static bool at_once;

static void block_moments_start(struct block_device *d)
{
    struct block_request *request;

    while ((request = block_next(d)) != NULL) {
        uint64_t begin = clock_now();

        if (!at_once) {
            held = request;
            continue;
        }
        while (clock_now() - begin < MOMENT)
            ;
        request->moved = block_bytes(request);
        block_done(request);
    }
}

static bool block_moments_reset(struct block_device *d)
{
    (void)d;
    return true;
}

static int setup(uint32_t depth)
{
    static const struct block_driver driver = {
        .name = "fake", .start = block_moments_start, .reset = block_moments_reset};
    static const struct block_type type = {DEVSTAT_TYPE_DIRECT | DEVSTAT_TYPE_IF_OTHER,
                                           DEVSTAT_PRIORITY_DISK, true};

    if (!device)
        device = kmem_zalloc(sizeof *device);
    requests = kmem_zalloc(REQUESTS * sizeof *requests);
    if (!device || !requests)
        return -ENOMEM;
    *device = (struct block_device){
        .driver = &driver, .block_size = 512, .max_blocks = 8, .blocks = 100, .depth = depth};
    at_once = false;
    return block_attach(device, &type);
}

static void take_down(void)
{
    block_detach(device);
    kmem_free(requests);
}

static int submit(unsigned n)
{
    requests[n] = (struct block_request){
        .device = device, .kind = BLOCK_READ, .count = 1, .buffer = &requests[n]};
    return block_submit(&requests[n]);
}

static void block_moments_finish(struct block_request *request)
{
    uintptr_t state = spinlock_acquire(&device->lock);

    request->moved = block_bytes(request);
    block_done(request);
    spinlock_release(&device->lock, state);
}

/* The first is ended from outside; LATER ones while they are started, or from outside as well. */
static int chain(bool later_at_once)
{
    for (unsigned i = 0; i < REQUESTS; i++)
        SELFTEST_EQUAL(submit(i), 0);
    at_once = later_at_once;
    for (unsigned i = 0; i < (at_once ? 1 : REQUESTS); i++) {
        SELFTEST_CHECK(held == &requests[i]);
        thread_sleep(1000000);
        block_moments_finish(held);
    }
    for (unsigned i = 0; i < REQUESTS; i++) {
        SELFTEST_CHECK(requests[i].finished && requests[i].submitted <= requests[i].started);
        SELFTEST_CHECK(requests[i].ended - requests[i].started >= MOMENT);
        if (i > 0)
            SELFTEST_EQUAL(requests[i].started, requests[i - 1].ended);
    }
    SELFTEST_EQUAL(device->stats.devstat.busy_ns, requests[3].ended - requests[0].started);
    at_once = false;
    thread_sleep(1000000);
    SELFTEST_EQUAL(submit(0), 0); /* what comes to an idle device begins when it comes */
    SELFTEST_CHECK(requests[0].started >= requests[0].submitted);
    block_moments_finish(held);
    return 0;
}

SELFTEST(block_chained, "block-chained", "a request begins when the one before it ended, exactly")
{
    int result;

    SELFTEST_EQUAL(setup(1), 0);
    result = chain(false);
    if (result == 0) {
        take_down();
        SELFTEST_EQUAL(setup(1), 0);
        result = chain(true);
    }
    take_down();
    return result;
}

/* One runs and three wait when the device goes. */
static int give_up(void)
{
    uint64_t waited = 0;
    kstat_io_t io;

    for (unsigned i = 0; i < REQUESTS; i++)
        SELFTEST_EQUAL(submit(i), 0);
    thread_sleep(2000000);
    block_gone(device);
    for (unsigned i = 0; i < REQUESTS; i++) {
        SELFTEST_EQUAL(-requests[i].error, ENXIO);
        if (i > 0)
            SELFTEST_EQUAL(requests[i].started, requests[i].ended);
        SELFTEST_CHECK(requests[i].ended - requests[i].submitted >= 2000000);
        waited += requests[i].started - requests[i].submitted;
    }
    thread_sleep(1000000); /* in which nothing waits */
    block_stats_io(device, &io);
    SELFTEST_EQUAL(io.wlentime, waited);
    SELFTEST_EQUAL(io.wtime, requests[3].started - requests[1].submitted);
    SELFTEST_EQUAL(io.rlentime, requests[0].ended - requests[0].started);
    SELFTEST_EQUAL(io.wcnt + io.rcnt, 0);
    return 0;
}

SELFTEST(block_given_up, "block-given-up", "what never began has waited until the device went")
{
    int result;

    SELFTEST_EQUAL(setup(1), 0);
    result = give_up();
    take_down();
    return result;
}

/* One of each kind, N blocks for the N-th. */
static int kinds(void)
{
    static const enum block_kind kind[] = {BLOCK_READ, BLOCK_WRITE, BLOCK_FREE, BLOCK_FLUSH};
    const struct devstat *ds = &device->stats.devstat;
    uint64_t took[REQUESTS];

    at_once = true;
    for (unsigned i = 0; i < REQUESTS; i++) {
        requests[i] = (struct block_request){.device = device,
                                             .kind = kind[i],
                                             .count = kind[i] == BLOCK_FLUSH ? 0 : i + 1,
                                             .buffer = &requests[i]};
        SELFTEST_EQUAL(block_submit(&requests[i]), 0);
        took[i] = requests[i].ended - requests[i].started;
        SELFTEST_CHECK(took[i] >= MOMENT);
    }
    SELFTEST_CHECK(ds->num_reads == 1 && ds->bytes_read == 512);
    SELFTEST_CHECK(ds->num_writes == 1 && ds->bytes_written == 1024);
    SELFTEST_CHECK(ds->num_frees == 1 && ds->bytes_freed == 1536);
    SELFTEST_EQUAL(ds->num_other, 1);
    SELFTEST_EQUAL(ds->duration_ns[DEVSTAT_READ], took[0]);
    SELFTEST_EQUAL(ds->duration_ns[DEVSTAT_WRITE], took[1]);
    SELFTEST_EQUAL(ds->duration_ns[DEVSTAT_FREE], took[2]);
    SELFTEST_EQUAL(ds->duration_ns[DEVSTAT_NO_DATA], took[3]);
    SELFTEST_EQUAL(ds->busy_count, 0);
    return 0;
}

SELFTEST(block_kinds, "block-kinds", "each kind of request is counted as what it is, once")
{
    int result;

    SELFTEST_EQUAL(setup(1), 0);
    result = kinds();
    take_down();
    return result;
}

/* The kstat of a device that nobody has used: its queue's time begins when the device came. */
static int read_fresh(uint64_t before, uint64_t after)
{
    kstat_ctl_t *kc = kstat_open();
    kstat_t *kstat = kc ? kstat_lookup(kc, "fake", (int)device->unit, device->name) : NULL;
    uint64_t now = clock_now();
    kstat_io_t io = {.reads = 99};
    int read = kstat ? kstat_read(kc, kstat, &io) : -1;
    int written = kstat ? kstat_write(kc, kstat, &io) : 0, why = kstat_errno;
    uint64_t snapshot = kstat ? (uint64_t)kstat->ks_snaptime : 0;

    if (kc)
        kstat_close(kc);
    SELFTEST_CHECK(read >= 0 && written < 0);
    SELFTEST_EQUAL(why, EACCES);
    SELFTEST_CHECK(snapshot >= now && snapshot <= clock_now());
    SELFTEST_CHECK((uint64_t)io.wlastupdate >= before && (uint64_t)io.wlastupdate <= after);
    SELFTEST_EQUAL(io.reads + io.wcnt + io.rcnt, 0);
    return 0;
}

SELFTEST(block_fresh, "block-fresh", "the kstat of a device that nobody has used")
{
    uint64_t before = clock_now();
    int result;

    SELFTEST_EQUAL(setup(1), 0);
    result = read_fresh(before, clock_now());
    take_down();
    return result;
}

enum { FAILED = 1, SEEN = 2 };

/* The older of two ends in time. SEEN if the other was looked at after the older one's limit and
 * before its own, which a busy host does not always let happen. */
static int come_late(uint64_t timeout)
{
    uint64_t timeouts, now;
    uintptr_t state;

    device->timeout = timeout;
    SELFTEST_EQUAL(submit(0), 0);
    thread_sleep(timeout * 2 / 3);
    SELFTEST_EQUAL(submit(1), 0);
    block_moments_finish(&requests[0]);
    thread_sleep(timeout / 2);
    state = interrupts_save();
    timeouts = evcnt_value(&device->stats.timeouts);
    now = clock_now();
    interrupts_restore(state);
    block_moments_finish(&requests[1]);
    if (requests[0].ended >= requests[0].submitted + timeout ||
        now <= requests[0].submitted + timeout || now >= requests[1].submitted + timeout)
        return 0;
    SELFTEST_EQUAL(timeouts, 0);
    return SEEN;
}

SELFTEST(block_own_limit, "block-own-limit", "a request's limit is counted from its own start")
{
    int result = 0;

    for (uint64_t timeout = 60000000; result == 0; timeout *= 2) {
        SELFTEST_EQUAL(setup(2), 0);
        result = come_late(timeout);
        take_down();
    }
    return result == SEEN ? 0 : FAILED;
}
