/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of the block layer over a device of the tests' own, which ends requests when it is told to.
 */
#include <arch/interrupt_flag.h>
#include "kernel/block.h"
#include "kernel/clock.h"
#include "kernel/kmem.h"
#include "kernel/law.h"
#include "kernel/selftest.h"
#include "kernel/thread.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "tests/kernel/until.h"

#define DEPTH    3
#define REQUESTS 8
#define BLOCKS   100

/* Allocated, as zeroed data makes starting longer, and kept: a command beside the tests may be at
 * it in the list of devices. */
static struct block_device *device;
static struct block_request *requests, *held[DEPTH];
static volatile unsigned held_count, given, resets, ended;
static unsigned order[REQUESTS];

static void start(struct block_device *d)
{
    struct block_request *request;

    while ((request = block_next(d)) != NULL) {
        held[held_count++] = request;
        given++;
    }
}

static bool reset(struct block_device *d)
{
    (void)d;
    held_count = 0;
    resets++;
    return true;
}

static void note_end(struct block_request *request)
{
    order[ended % REQUESTS] = (unsigned)(request - requests);
    ended++;
}

static int setup(void)
{
    static const struct block_driver driver = {"fake", start, reset, NULL};
    static const struct block_type type = {DEVSTAT_TYPE_DIRECT | DEVSTAT_TYPE_IF_OTHER,
                                           DEVSTAT_PRIORITY_DISK};

    if (!device)
        device = kmem_zalloc(sizeof *device);
    requests = kmem_zalloc(REQUESTS * sizeof *requests);
    if (!device || !requests)
        return -ENOMEM;
    *device = (struct block_device){
        .driver = &driver, .block_size = 512, .max_blocks = 8, .blocks = BLOCKS, .depth = DEPTH};
    held_count = given = resets = ended = 0;
    return block_attach(device, &type);
}

static void take_down(void)
{
    block_detach(device);
    kmem_free(requests);
}

static int submit(unsigned n, enum block_kind kind, uint32_t count)
{
    requests[n] = (struct block_request){.device = device,
                                         .kind = kind,
                                         .block = n,
                                         .count = count,
                                         .buffer = &order,
                                         .done = note_end};
    return block_submit(&requests[n]);
}

/* The N-th of those that the driver has ends. */
static void finish(unsigned n, int error, uint32_t resid)
{
    uintptr_t state = spinlock_acquire(&device->lock);
    struct block_request *request = held[n];

    memmove(&held[n], &held[n + 1], (DEPTH - 1 - n) * sizeof held[0]);
    held_count--;
    request->error = error;
    request->resid = resid;
    request->moved = block_bytes(request) - resid;
    block_done(request);
    spinlock_release(&device->lock, state);
}

/* Time in which some request was in a state, and the sum of all their times in it. */
struct sums {
    uint64_t busy, total;
};

/* The requests came to the state at FROM and left it at TO, both growing with the number. */
static struct sums add_up(const uint64_t *from, const uint64_t *to, unsigned count)
{
    struct sums sums = {0, 0};
    uint64_t until = 0;

    for (unsigned i = 0; i < count; i++) {
        uint64_t begin = from[i] > until ? from[i] : until;

        sums.total += to[i] - from[i];
        if (to[i] > begin)
            sums.busy += to[i] - begin;
        until = to[i] > until ? to[i] : until;
    }
    return sums;
}

static kstat_io_t io_now(void)
{
    kstat_io_t io;

    block_stats_io(device, &io);
    return io;
}

static int check_sums(void)
{
    const kstat_io_t copy = io_now(), *io = &copy;
    const struct devstat *ds = &device->stats.devstat;
    uint64_t submitted[REQUESTS], started[REQUESTS], done[REQUESTS];
    struct sums wait, run;

    for (unsigned i = 0; i < REQUESTS; i++) {
        submitted[i] = requests[i].submitted;
        started[i] = requests[i].started;
        done[i] = requests[i].ended;
    }
    wait = add_up(submitted, started, REQUESTS);
    run = add_up(started, done, REQUESTS);
    SELFTEST_EQUAL(io->wtime, wait.busy);
    SELFTEST_EQUAL(io->wlentime, wait.total);
    SELFTEST_EQUAL(io->rtime, run.busy);
    SELFTEST_EQUAL(io->rlentime, run.total);
    SELFTEST_EQUAL(ds->busy_ns, run.busy);
    SELFTEST_EQUAL(ds->duration_ns[DEVSTAT_READ] + ds->duration_ns[DEVSTAT_WRITE], run.total);
    SELFTEST_EQUAL(ds->bytes_read, io->nread);
    SELFTEST_EQUAL(ds->bytes_written, io->nwritten);
    SELFTEST_EQUAL(ds->num_reads, io->reads);
    SELFTEST_EQUAL(ds->num_writes, io->writes);
    SELFTEST_EQUAL(histogram_total(&ds->service), REQUESTS);
    return 0;
}

static int queue_steps(void)
{
    for (unsigned i = 0; i < REQUESTS; i++) {
        SELFTEST_EQUAL(submit(i, i % 2 ? BLOCK_WRITE : BLOCK_READ, 1 + i % 4), 0);
        SELFTEST_EQUAL(requests[i].number, i + 1);
    }
    SELFTEST_EQUAL(held_count, DEPTH);
    SELFTEST_EQUAL(io_now().rcnt, DEPTH);
    SELFTEST_EQUAL(io_now().wcnt, REQUESTS - DEPTH);
    SELFTEST_EQUAL(device->stats.devstat.busy_count, DEPTH);
    for (unsigned i = 0; i < REQUESTS; i++) {
        thread_sleep(1000000);
        finish(0, i == 3 ? -EIO : 0, i == 3 ? 512 * 4 : 0);
        SELFTEST_EQUAL(ended, i + 1);
        SELFTEST_EQUAL(order[i], i);
    }
    SELFTEST_EQUAL(io_now().rcnt + io_now().wcnt, 0);
    SELFTEST_EQUAL(io_now().nread, 512 * (1 + 3 + 1 + 3));
    SELFTEST_EQUAL(io_now().nwritten, 512 * (2 + 2 + 4)); /* one of 4 has failed */
    SELFTEST_EQUAL(evcnt_value(&device->stats.errors), 1);
    return check_sums();
}

SELFTEST(block_queue, "block-queue",
         "requests run in order, as many as there is room for; kstat and devstat say the same")
{
    int result;

    SELFTEST_EQUAL(setup(), 0);
    result = queue_steps();
    take_down();
    return result;
}

static int refusals(void)
{
    struct block_request r = {.device = device, .kind = BLOCK_READ, .count = 1, .buffer = &order};

    r.count = 0;
    SELFTEST_EQUAL(-block_submit(&r), EINVAL);
    r.count = 9;
    SELFTEST_EQUAL(-block_submit(&r), EINVAL);
    r.count = 1;
    r.block = BLOCKS;
    SELFTEST_EQUAL(-block_submit(&r), ERANGE);
    r.block = BLOCKS - 1;
    r.count = 2;
    SELFTEST_EQUAL(-block_submit(&r), ERANGE);
    r.block = UINT64_MAX;
    SELFTEST_EQUAL(-block_submit(&r), ERANGE);
    device->read_only = true;
    r.block = 0;
    r.kind = BLOCK_WRITE;
    SELFTEST_EQUAL(-block_submit(&r), EROFS);
    SELFTEST_EQUAL(device->requests + held_count + io_now().wcnt, 0);
    return 0;
}

static int disappear(void)
{
    struct law_check check = {.only = law_find("disk-requests")};

    for (unsigned i = 0; i < REQUESTS; i++)
        SELFTEST_EQUAL(submit(i, BLOCK_READ, 1), 0);
    held_count = 0;
    block_gone(device);
    SELFTEST_EQUAL(ended, REQUESTS);
    for (unsigned i = 0; i < REQUESTS; i++) {
        SELFTEST_EQUAL(-requests[i].error, ENXIO);
        SELFTEST_EQUAL(requests[i].resid, 512);
    }
    SELFTEST_EQUAL(-submit(0, BLOCK_READ, 1), ENXIO);
    SELFTEST_EQUAL(evcnt_value(&device->stats.errors), REQUESTS);
    SELFTEST_EQUAL(io_now().rcnt + io_now().wcnt, 0);
    SELFTEST_EQUAL(io_now().reads, DEPTH); /* the others were never begun */
    SELFTEST_EQUAL(io_now().nread, 0);
    SELFTEST_EQUAL(device->stats.devstat.num_reads, DEPTH);
    SELFTEST_EQUAL(device->stats.devstat.busy_count, 0);
    SELFTEST_EQUAL(device->abandoned, REQUESTS - DEPTH);
    SELFTEST_EQUAL(law_check(&check), 0);
    SELFTEST_EQUAL(check.violations, 0);
    return 0;
}

SELFTEST(block_refusal, "block-refusal",
         "bad requests are refused by number; those to a device that goes fail")
{
    int result;

    SELFTEST_EQUAL(setup(), 0);
    result = refusals();
    device->read_only = false;
    if (result == 0)
        result = disappear();
    take_down();
    return result;
}

static int time_out(void)
{
    device->timeout = 2000000;
    SELFTEST_EQUAL(submit(0, BLOCK_READ, 1), 0);
    SELFTEST_CHECK(until_at_least(&ended, 1));
    SELFTEST_EQUAL(given, BLOCK_TRIES); /* to the driver: once, and again after each reset */
    SELFTEST_EQUAL(-requests[0].error, ETIMEDOUT);
    SELFTEST_EQUAL(resets, BLOCK_TRIES);
    SELFTEST_EQUAL(evcnt_value(&device->stats.timeouts), BLOCK_TRIES);
    SELFTEST_EQUAL(evcnt_value(&device->stats.resets), BLOCK_TRIES);
    SELFTEST_EQUAL(evcnt_value(&device->stats.retries), BLOCK_TRIES - 1);
    SELFTEST_EQUAL(io_now().rtime, requests[0].ended - requests[0].started);
    SELFTEST_CHECK(io_now().rtime >= (hrtime_t)(BLOCK_TRIES * device->timeout));
    return 0;
}

SELFTEST(block_timeout, "block-timeout",
         "what is not done in time resets the device, is tried again, and fails at last")
{
    int result;

    SELFTEST_EQUAL(setup(), 0);
    result = time_out();
    take_down();
    return result;
}

static int disturb(void)
{
    unsigned at_once, running;
    uintptr_t state;

    device->inject_errors = 2;
    for (unsigned i = 0; i < 3; i++)
        SELFTEST_EQUAL(submit(i, BLOCK_READ, 1), 0);
    SELFTEST_EQUAL(ended, 2);
    SELFTEST_EQUAL(held_count, 1);
    SELFTEST_EQUAL(-requests[1].error, EIO);
    device->inject_delay = 5000000;
    state = interrupts_save(); /* no timer, however late it gets */
    finish(0, 0, 0);
    at_once = ended;
    running = io_now().rcnt;
    interrupts_restore(state);
    SELFTEST_EQUAL(at_once, 2);
    SELFTEST_EQUAL(running, 1);
    SELFTEST_CHECK(until_at_least(&ended, 3));
    SELFTEST_CHECK(requests[2].ended - requests[2].started >= 5000000);
    SELFTEST_EQUAL(device->stats.devstat.num_reads, 3);
    SELFTEST_EQUAL(device->stats.devstat.bytes_read, 512);
    return 0;
}

SELFTEST(block_inject, "block-inject", "errors and delays that are asked for come, and are counted")
{
    int result;

    SELFTEST_EQUAL(setup(), 0);
    result = disturb();
    take_down();
    return result;
}
