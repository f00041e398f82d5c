/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The statistics of a block device against what the times of each request say, after every step of
 * a random walk: at any moment, with requests of every kind that wait, run, are tried again, fail
 * and are abandoned. Nothing is known here of how they are recorded.
 */
#include "kernel/block/block.h"
#include "kernel/time/clock.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "tests/kernel/fake_disk.h"
#include "tests/kernel/until.h"

#define REQUESTS 160
#define AT_ONCE  10 /* submitted and not ended */
#define LONG     3600000000000ull

/* What a kstat and a devstat ought to say. */
struct expected {
    uint64_t wait, wait_length, run, run_length, busy;
    uint64_t wait_count, run_count, outstanding;
    uint64_t duration[DEVSTAT_N_TRANS_FLAGS], operations[DEVSTAT_N_TRANS_FLAGS];
    uint64_t bytes[DEVSTAT_N_TRANS_FLAGS];
    uint64_t reads, writes; /* that were started */
    struct histogram service;
};

static unsigned submitted;
static uint64_t seed;

static unsigned random_below(unsigned limit)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(seed >> 33) % limit;
}

/* Adds the time from FROM to TO to *LENGTH, and to *ANY what of it lies after *UNTIL. */
static void add_span(uint64_t from, uint64_t to, uint64_t *length, uint64_t *any, uint64_t *until)
{
    uint64_t begin = from > *until ? from : *until;

    *length += to - from;
    if (to > begin)
        *any += to - begin;
    if (to > *until)
        *until = to;
}

static unsigned bucket_of(uint64_t value)
{
    unsigned bucket = 0;

    for (; value != 0; value >>= 1)
        bucket++;
    return bucket;
}

static bool is_waiting(const struct block_request *request)
{
    const struct block_request *at;

    TAILQ_FOREACH (at, &fake_disk->device.waiting, link)
        if (at == request)
            return true;
    return false;
}

static devstat_trans_flags flags_of(const struct block_request *request)
{
    switch (request->kind) {
    case BLOCK_READ:
        return DEVSTAT_READ;
    case BLOCK_WRITE:
        return DEVSTAT_WRITE;
    case BLOCK_FREE:
        return DEVSTAT_FREE;
    case BLOCK_FLUSH:
    default:
        return DEVSTAT_NO_DATA;
    }
}

static void add_end(struct expected *e, const struct block_request *request, bool abandoned)
{
    devstat_trans_flags flags = flags_of(request);

    e->operations[flags]++;
    e->duration[flags] += request->ended - request->submitted;
    if (flags != DEVSTAT_NO_DATA)
        e->bytes[flags] += 512ul * request->count - request->resid;
    if (abandoned)
        return;
    e->reads += flags == DEVSTAT_READ;
    e->writes += flags == DEVSTAT_WRITE;
    e->service.bucket[bucket_of(request->ended - request->started)]++;
}

/* In the order of submission, which is that of the starts. */
static void expect(struct expected *e, uint64_t now)
{
    uint64_t waited_until = 0, run_until = 0, busy_until = 0, all = 0;

    for (unsigned i = 0; i < submitted; i++) {
        const struct block_request *request = &fake_disk->requests[i];
        bool transfer = request->kind == BLOCK_READ || request->kind == BLOCK_WRITE;
        bool waits = is_waiting(request);
        bool abandoned = request->finished && request->running == 0;
        uint64_t end = request->finished ? request->ended : now;
        uint64_t start = waits ? now : abandoned ? end : request->started;

        add_span(request->submitted, end, &all, &e->busy, &busy_until);
        if (transfer)
            add_span(request->submitted, start, &e->wait_length, &e->wait, &waited_until);
        if (transfer && !waits)
            add_span(start, end, &e->run_length, &e->run, &run_until);
        if (request->finished)
            add_end(e, request, abandoned);
        e->outstanding += !request->finished;
        e->wait_count += transfer && waits;
        e->run_count += transfer && !waits && !request->finished;
    }
}

static int check_devstat(const struct expected *e, uint64_t now)
{
    struct devstat copy;

    SELFTEST_EQUAL(devstat_copy(&copy, &fake_disk->device.stats.devstat), 0);
    devstat_extend(&copy, now);
    SELFTEST_EQUAL(copy.busy_count, e->outstanding);
    SELFTEST_EQUAL(copy.busy_ns, e->busy);
    for (unsigned kind = 0; kind < DEVSTAT_N_TRANS_FLAGS; kind++)
        SELFTEST_EQUAL(copy.duration_ns[kind], e->duration[kind]);
    SELFTEST_EQUAL(copy.num_reads, e->operations[DEVSTAT_READ]);
    SELFTEST_EQUAL(copy.num_writes, e->operations[DEVSTAT_WRITE]);
    SELFTEST_EQUAL(copy.num_frees, e->operations[DEVSTAT_FREE]);
    SELFTEST_EQUAL(copy.num_other, e->operations[DEVSTAT_NO_DATA]);
    SELFTEST_EQUAL(copy.bytes_read, e->bytes[DEVSTAT_READ]);
    SELFTEST_EQUAL(copy.bytes_written, e->bytes[DEVSTAT_WRITE]);
    SELFTEST_EQUAL(copy.bytes_freed, e->bytes[DEVSTAT_FREE]);
    SELFTEST_EQUAL(copy.tag_types[DEVSTAT_TAG_SIMPLE], histogram_total(&e->service));
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        SELFTEST_EQUAL(copy.service.bucket[i], e->service.bucket[i]);
    return 0;
}

static int block_random_check(void)
{
    struct expected e = {.wait = 0};
    kstat_io_t io;
    uint64_t now = block_stats_io(&fake_disk->device, &io);

    expect(&e, now);
    SELFTEST_EQUAL(io.wcnt, e.wait_count);
    SELFTEST_EQUAL(io.rcnt, e.run_count);
    SELFTEST_EQUAL(io.wtime, e.wait);
    SELFTEST_EQUAL(io.wlentime, e.wait_length);
    SELFTEST_EQUAL(io.rtime, e.run);
    SELFTEST_EQUAL(io.rlentime, e.run_length);
    SELFTEST_EQUAL(io.reads, e.reads);
    SELFTEST_EQUAL(io.writes, e.writes);
    SELFTEST_EQUAL(io.nread, e.bytes[DEVSTAT_READ]);
    SELFTEST_EQUAL(io.nwritten, e.bytes[DEVSTAT_WRITE]);
    if (e.wait_count > 0)
        SELFTEST_EQUAL(io.wlastupdate, now);
    if (e.run_count > 0)
        SELFTEST_EQUAL(io.rlastupdate, now);
    return check_devstat(&e, now);
}

static int submit_some(void)
{
    unsigned choice = random_below(20);
    enum block_kind kind = choice < 9    ? BLOCK_READ
                           : choice < 16 ? BLOCK_WRITE
                           : choice < 18 ? BLOCK_FLUSH
                                         : BLOCK_FREE;
    uint32_t count = kind == BLOCK_FLUSH ? 0 : 1 + random_below(8);
    int error = fake_disk_submit(submitted, kind, count);

    submitted += error == 0;
    return error;
}

static void finish_some(void)
{
    unsigned n = random_below(fake_disk->held_count);
    bool fails = random_below(8) == 0;

    fake_disk_finish(n, fails ? -EIO : 0, fails ? fake_disk->held[n]->count * 512 : 0);
}

/* As an IDE disk does not start what the other one of its channel is in the way of. */
static void toggle_full(void)
{
    fake_disk->full = !fake_disk->full;
    if (!fake_disk->full)
        block_kick(&fake_disk->device);
}

/* Until all but the last have been submitted. Each step takes some time, or none. */
static int walk(void)
{
    while (submitted < REQUESTS - AT_ONCE) {
        bool room = submitted - fake_disk->ended < AT_ONCE;

        if (random_below(4) == 0)
            toggle_full();
        if (room && (fake_disk->held_count == 0 || random_below(2) == 0))
            SELFTEST_EQUAL(submit_some(), 0);
        else if (fake_disk->held_count > 0)
            finish_some();
        for (volatile unsigned turns = random_below(300); turns > 0; turns--)
            ;
        if (block_random_check() != 0)
            return 1;
    }
    if (fake_disk->full)
        toggle_full();
    while (fake_disk->held_count > 0)
        finish_some();
    return block_random_check();
}

static int reset_result;

/* In the thread that resets: what ran still runs. Nothing is taken afterwards, either. */
static void block_random_check_reset(void)
{
    reset_result = block_random_check();
    fake_disk->full = true;
}

static bool is_resetting(void)
{
    uintptr_t state = spinlock_acquire(&fake_disk->device.lock);
    bool resetting = fake_disk->device.resetting;

    spinlock_release(&fake_disk->device.lock, state);
    return resetting;
}

/* What a reset makes the driver forget waits to be given to it again, and runs all the while. */
static int reset(void)
{
    while (submitted < REQUESTS - AT_ONCE / 2)
        SELFTEST_EQUAL(submit_some(), 0);
    fake_disk->on_reset = block_random_check_reset;
    fake_disk->device.timeout = 1000000;
    finish_some(); /* another is started, and the timer set; nothing is changed here from now on */
    SELFTEST_CHECK(until_at_least(&fake_disk->resets, 1));
    while (is_resetting())
        thread_sleep(1000000);
    fake_disk->device.timeout = LONG;
    if (reset_result != 0 || block_random_check() != 0)
        return 1;
    SELFTEST_CHECK(!TAILQ_EMPTY(&fake_disk->device.again));
    fake_disk->full = false;
    block_kick(&fake_disk->device);
    SELFTEST_EQUAL(fake_disk->held_count, FAKE_DEPTH);
    return block_random_check();
}

/* Three run, the others wait; all fail. */
static int disappear(void)
{
    while (submitted < REQUESTS)
        SELFTEST_EQUAL(submit_some(), 0);
    if (block_random_check() != 0)
        return 1;
    block_gone(&fake_disk->device);
    SELFTEST_EQUAL(fake_disk->ended, REQUESTS);
    return block_random_check();
}

SELFTEST(block_random, "block-random",
         "at each step of a random walk the statistics are what the times of the requests say")
{
    int result;

    SELFTEST_EQUAL(fake_disk_attach(REQUESTS), 0);
    submitted = 0;
    reset_result = 0;
    seed = clock_now();
    fake_disk->device.timeout = LONG;
    result = walk();
    if (result == 0)
        result = reset();
    if (result == 0)
        result = disappear();
    fake_disk_detach();
    return result;
}
