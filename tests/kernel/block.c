/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of the block layer over a device of the tests' own. */
#include <arch/interrupt_flag.h>
#include "kernel/interrupt/interrupt.h"
#include "kernel/block/block.h"
#include "kernel/block/io_trace.h"
#include "kernel/base/law.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/law_check.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "tests/kernel/fake_disk.h"
#include "tests/kernel/until.h"

#define REQUESTS 8

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

static int check_sums(void)
{
    const kstat_io_t copy = fake_disk_io(), *io = &copy;
    const struct devstat *ds = &fake_disk->device.stats.devstat;
    uint64_t submitted[REQUESTS], started[REQUESTS], done[REQUESTS];
    struct sums wait, run, all;

    for (unsigned i = 0; i < REQUESTS; i++) {
        submitted[i] = fake_disk->requests[i].submitted;
        started[i] = fake_disk->requests[i].started;
        done[i] = fake_disk->requests[i].ended;
    }
    wait = add_up(submitted, started, REQUESTS);
    run = add_up(started, done, REQUESTS);
    all = add_up(submitted, done, REQUESTS);
    SELFTEST_EQUAL(io->wtime, wait.busy);
    SELFTEST_EQUAL(io->wlentime, wait.total);
    SELFTEST_EQUAL(io->rtime, run.busy);
    SELFTEST_EQUAL(io->rlentime, run.total);
    SELFTEST_EQUAL(ds->busy_ns, all.busy);
    SELFTEST_EQUAL(ds->duration_ns[DEVSTAT_READ] + ds->duration_ns[DEVSTAT_WRITE], all.total);
    SELFTEST_EQUAL(ds->bytes_read, io->nread);
    SELFTEST_EQUAL(ds->bytes_written, io->nwritten);
    SELFTEST_EQUAL(ds->num_reads, io->reads);
    SELFTEST_EQUAL(ds->num_writes, io->writes);
    SELFTEST_EQUAL(histogram_total(&ds->service), REQUESTS);
    return 0;
}

/* Nothing is lost or twice on the way: what waits, runs, and has ended. */
static int check_laws(void)
{
    struct law_check check = {.only = NULL};
    char text[256];

    SELFTEST_EQUAL(law_check(&check), 0);
    if (check.violations == 0)
        return 0;
    law_describe(&check.first, text, sizeof text);
    return selftest_fail("%s", text);
}

static int queue_steps(void)
{
    int result = 0;

    for (unsigned i = 0; i < REQUESTS; i++) {
        SELFTEST_EQUAL(fake_disk_submit(i, i % 2 ? BLOCK_WRITE : BLOCK_READ, 1 + i % 4), 0);
        SELFTEST_EQUAL(fake_disk->requests[i].number, i + 1);
    }
    SELFTEST_EQUAL(fake_disk->held_count, FAKE_DEPTH);
    SELFTEST_EQUAL(fake_disk_io().rcnt, FAKE_DEPTH);
    SELFTEST_EQUAL(fake_disk_io().wcnt, REQUESTS - FAKE_DEPTH);
    SELFTEST_EQUAL(fake_disk->device.stats.devstat.busy_count, REQUESTS);
    for (unsigned i = 0; i < REQUESTS && result == 0; i++) {
        result = check_laws();
        thread_sleep(1000000);
        fake_disk_finish(0, i == 3 ? -EIO : 0, i == 3 ? 512 * 4 : 0);
        SELFTEST_EQUAL(fake_disk->ended, i + 1);
        SELFTEST_EQUAL(fake_disk->order[i], i);
    }
    SELFTEST_EQUAL(fake_disk_io().rcnt + fake_disk_io().wcnt, 0);
    SELFTEST_EQUAL(fake_disk_io().nread, 512 * (1 + 3 + 1 + 3));
    SELFTEST_EQUAL(fake_disk_io().nwritten, 512 * (2 + 2 + 4)); /* one of 4 has failed */
    SELFTEST_EQUAL(evcnt_value(&fake_disk->device.stats.errors), 1);
    if (result == 0)
        result = check_sums();
    return result == 0 ? check_laws() : result;
}

SELFTEST(block_queue, "block-queue",
         "requests run in order, as many as there is room for; kstat and "
         "devstat say the same")
{
    int result;

    SELFTEST_EQUAL(fake_disk_attach(REQUESTS), 0);
    result = queue_steps();
    fake_disk_detach();
    return result;
}

static int refusals(void)
{
    struct block_request r = {
        .device = &fake_disk->device, .kind = BLOCK_READ, .count = 1, .buffer = fake_disk};

    r.count = 0;
    SELFTEST_EQUAL(-block_submit(&r), EINVAL);
    r.count = 9;
    SELFTEST_EQUAL(-block_submit(&r), EINVAL);
    r.count = 1;
    r.block = FAKE_BLOCKS;
    SELFTEST_EQUAL(-block_submit(&r), ERANGE);
    r.block = FAKE_BLOCKS - 1;
    r.count = 2;
    SELFTEST_EQUAL(-block_submit(&r), ERANGE);
    r.block = UINT64_MAX;
    SELFTEST_EQUAL(-block_submit(&r), ERANGE);
    fake_disk->device.read_only = true;
    r.block = 0;
    r.kind = BLOCK_WRITE;
    SELFTEST_EQUAL(-block_submit(&r), EROFS);
    SELFTEST_EQUAL(fake_disk->device.requests + fake_disk->held_count + fake_disk_io().wcnt, 0);
    return 0;
}

static int disappear(void)
{
    for (unsigned i = 0; i < REQUESTS; i++)
        SELFTEST_EQUAL(fake_disk_submit(i, BLOCK_READ, 1), 0);
    fake_disk->held_count = 0;
    block_gone(&fake_disk->device);
    SELFTEST_EQUAL(fake_disk->ended, REQUESTS);
    for (unsigned i = 0; i < REQUESTS; i++) {
        SELFTEST_EQUAL(-fake_disk->requests[i].error, ENXIO);
        SELFTEST_EQUAL(fake_disk->requests[i].resid, 512);
    }
    SELFTEST_EQUAL(-fake_disk_submit(0, BLOCK_READ, 1), ENXIO);
    SELFTEST_EQUAL(evcnt_value(&fake_disk->device.stats.errors), REQUESTS);
    SELFTEST_EQUAL(fake_disk_io().rcnt + fake_disk_io().wcnt, 0);
    SELFTEST_EQUAL(fake_disk_io().reads, FAKE_DEPTH); /* the others were never begun */
    SELFTEST_EQUAL(fake_disk_io().nread, 0);
    SELFTEST_EQUAL(fake_disk->device.stats.devstat.num_reads, REQUESTS);
    SELFTEST_EQUAL(fake_disk->device.stats.devstat.busy_count, 0);
    SELFTEST_EQUAL(fake_disk->device.stats.devstat.sequence0, REQUESTS); /* a change for each end */
    SELFTEST_EQUAL(fake_disk->device.stats.abandoned[BLOCK_READ], REQUESTS - FAKE_DEPTH);
    return check_laws();
}

SELFTEST(block_refusal, "block-refusal",
         "bad requests are refused by number; those to a device that goes fail")
{
    int result;

    SELFTEST_EQUAL(fake_disk_attach(REQUESTS), 0);
    result = refusals();
    fake_disk->device.read_only = false;
    if (result == 0)
        result = disappear();
    fake_disk_detach();
    return result;
}

static int time_out(void)
{
    static const struct interrupt_handler handler, other;

    fake_disk->device.handler = &handler;
    fake_disk->device.timeout = 2000000;
    SELFTEST_EQUAL(fake_disk_submit(0, BLOCK_READ, 1), 0);
    SELFTEST_CHECK(until_at_least(&fake_disk->ended, 1));
    /* To the driver: once, and again after each reset. */
    SELFTEST_EQUAL(fake_disk->given, BLOCK_TRIES);
    SELFTEST_EQUAL(-fake_disk->requests[0].error, ETIMEDOUT);
    SELFTEST_EQUAL(fake_disk->resets, BLOCK_TRIES);
    SELFTEST_EQUAL(evcnt_value(&fake_disk->device.stats.timeouts), BLOCK_TRIES);
    SELFTEST_EQUAL(block_timeouts_of(&handler), BLOCK_TRIES);
    SELFTEST_EQUAL(block_timeouts_of(&other), 0);
    SELFTEST_EQUAL(evcnt_value(&fake_disk->device.stats.resets), BLOCK_TRIES);
    SELFTEST_EQUAL(evcnt_value(&fake_disk->device.stats.retries), BLOCK_TRIES - 1);
    SELFTEST_EQUAL(fake_disk_io().rtime,
                   fake_disk->requests[0].ended - fake_disk->requests[0].started);
    SELFTEST_CHECK(fake_disk_io().rtime >= (hrtime_t)(BLOCK_TRIES * fake_disk->device.timeout));
    return 0;
}

SELFTEST(block_timeout, "block-timeout",
         "what is not done in time resets the device, is tried again, and fails at last")
{
    int result;

    SELFTEST_EQUAL(fake_disk_attach(REQUESTS), 0);
    result = time_out();
    fake_disk_detach();
    return result;
}

static void have_patience(void)
{
    fake_disk->device.timeout = 3600000000000;
}

/* An end that gets lost is none: the device is reset, and has the request once more. */
static int lose(void)
{
    unsigned held, ended, left;
    uintptr_t state;
    int error;

    fake_disk->device.timeout = 2000000;
    fake_disk->on_reset = have_patience; /* from the second time on */
    fake_disk->device.inject_lost = 1;
    state = interrupts_save(); /* no timer, however late it gets */
    error = fake_disk_submit(0, BLOCK_READ, 1);
    held = fake_disk->held_count;
    fake_disk_finish(0, 0, 0);
    ended = fake_disk->ended;
    left = fake_disk->device.inject_lost;
    interrupts_restore(state);
    SELFTEST_EQUAL(error, 0);
    SELFTEST_EQUAL(held, 1);
    SELFTEST_EQUAL(ended + left, 0);
    SELFTEST_CHECK(until_at_least(&fake_disk->given, 2));
    SELFTEST_EQUAL(fake_disk->held_count, 1);
    fake_disk_finish(0, 0, 0);
    SELFTEST_EQUAL(fake_disk->ended, 1);
    SELFTEST_EQUAL(fake_disk->given - fake_disk->resets, 1);
    SELFTEST_EQUAL(fake_disk_io().reads, 1);
    SELFTEST_EQUAL(fake_disk_io().nread, 512);
    return check_laws();
}

SELFTEST(block_lost, "block-lost", "an end that is made to get lost is none, and the next one is")
{
    int result;

    SELFTEST_EQUAL(fake_disk_attach(1), 0);
    result = lose();
    fake_disk_detach();
    return result;
}

static int trace(void)
{
    struct io_trace_entry entry;

    for (unsigned i = 0; i < FAKE_DEPTH; i++)
        SELFTEST_EQUAL(fake_disk_submit(i, BLOCK_WRITE, 1 + i), 0);
    SELFTEST_EQUAL(io_trace_count(), 0);
    for (unsigned i = 0; i < FAKE_DEPTH; i++)
        fake_disk_finish(0, 0, i);
    SELFTEST_EQUAL(io_trace_count(), FAKE_DEPTH);
    for (unsigned i = 0; i < FAKE_DEPTH; i++) {
        const struct block_request *request = &fake_disk->requests[i];

        SELFTEST_CHECK(io_trace_get(i, &entry));
        SELFTEST_CHECK(entry.device == fake_disk->device.name && entry.kind == BLOCK_WRITE);
        SELFTEST_CHECK(entry.number == i + 1 && entry.count == 1 + i && entry.resid == i);
        SELFTEST_CHECK(entry.submitted == request->submitted && entry.started == request->started);
        SELFTEST_CHECK(entry.ended == request->ended && entry.running == i + 1);
    }
    io_trace_off();
    SELFTEST_EQUAL(fake_disk_submit(0, BLOCK_READ, 1), 0);
    fake_disk_finish(0, 0, 0);
    SELFTEST_EQUAL(io_trace_count(), FAKE_DEPTH);
    SELFTEST_CHECK(!io_trace_get(FAKE_DEPTH, &entry));
    return 0;
}

SELFTEST(block_trace, "block-trace", "the trace has each request once, while it is on")
{
    int result;

    if (io_trace_enabled || io_trace_count() != 0)
        return selftest_skip("the trace is in use");
    SELFTEST_EQUAL(fake_disk_attach(FAKE_DEPTH), 0);
    result = io_trace_on() == 0 ? trace() : selftest_fail("no memory for the trace");
    io_trace_off();
    io_trace_clear();
    fake_disk_detach();
    return result;
}

static int disturb(void)
{
    unsigned at_once, running;
    uintptr_t state;

    fake_disk->device.inject_errors = 2;
    for (unsigned i = 0; i < 3; i++)
        SELFTEST_EQUAL(fake_disk_submit(i, BLOCK_READ, 1), 0);
    SELFTEST_EQUAL(fake_disk->ended, 2);
    SELFTEST_EQUAL(fake_disk->held_count, 1);
    SELFTEST_EQUAL(-fake_disk->requests[1].error, EIO);
    fake_disk->device.inject_delay = 5000000;
    state = interrupts_save(); /* no timer, however late it gets */
    fake_disk_finish(0, 0, 0);
    at_once = fake_disk->ended;
    running = fake_disk_io().rcnt;
    interrupts_restore(state);
    SELFTEST_EQUAL(at_once, 2);
    SELFTEST_EQUAL(running, 1);
    SELFTEST_CHECK(until_at_least(&fake_disk->ended, 3));
    SELFTEST_CHECK(fake_disk->requests[2].ended - fake_disk->requests[2].started >= 5000000);
    SELFTEST_EQUAL(fake_disk->device.stats.devstat.num_reads, 3);
    SELFTEST_EQUAL(fake_disk->device.stats.devstat.bytes_read, 512);
    return check_laws();
}

SELFTEST(block_inject, "block-inject", "errors and delays that are asked for come, and are counted")
{
    int result;

    SELFTEST_EQUAL(fake_disk_attach(REQUESTS), 0);
    result = disturb();
    fake_disk_detach();
    return result;
}

/* A request comes again while the device has been busy ever since: it is not the first any more. */
static int come_again(void)
{
    kstat_io_t before, after;
    uint64_t from, to, waited;

    SELFTEST_EQUAL(fake_disk_submit(0, BLOCK_READ, 1), 0);
    SELFTEST_EQUAL(fake_disk_submit(1, BLOCK_READ, 1), 0);
    fake_disk_finish(0, 0, 0);
    from = block_stats_io(&fake_disk->device, &before);
    fake_disk->full = true;
    SELFTEST_EQUAL(fake_disk_submit(0, BLOCK_READ, 1), 0);
    thread_sleep(1000000);
    fake_disk->full = false;
    block_kick(&fake_disk->device);
    to = block_stats_io(&fake_disk->device, &after);
    waited = fake_disk->requests[0].started - fake_disk->requests[0].submitted;
    SELFTEST_CHECK(waited >= 1000000);
    SELFTEST_EQUAL(after.wtime - before.wtime, waited);
    SELFTEST_EQUAL(after.wlentime - before.wlentime, waited);
    SELFTEST_EQUAL(after.rtime - before.rtime, to - from);
    fake_disk_finish(0, 0, 0);
    fake_disk_finish(0, 0, 0);
    return 0;
}

SELFTEST(block_again, "block-again", "a request that is submitted again has waited like any other")
{
    int result;

    SELFTEST_EQUAL(fake_disk_attach(REQUESTS), 0);
    result = come_again();
    fake_disk_detach();
    return result;
}
