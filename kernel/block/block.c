/* SPDX-License-Identifier: BSD-2-Clause */
/* The way of a request: submit, start, end. Devices are in block_device.c, timeouts in
 * block_watch.c. */
#include "kernel/block/block.h"
#include "kernel/block/block_private.h"
#include "kernel/block/block_record.h"
#include "kernel/thread/load.h"
#include "kernel/time/clock.h"
#include "kernel/block/io_trace.h"
#include "kernel/base/panic.h"
#include "lib/errno.h"

const char *block_kind_name(enum block_kind kind)
{
    static const char *const names[] = {"read", "write", "flush", "free"};

    return names[kind];
}

const char *block_error_name(int error)
{
    switch (error) {
    case -EIO:
        return "I/O error";
    case -ENXIO:
        return "the device is gone";
    case -ENODEV:
        return "no medium";
    case -ETIMEDOUT:
        return "the device does not answer";
    case -EROFS:
        return "the device is read-only";
    case -ERANGE:
        return "beyond the end of the device";
    case -ENOMEM:
        return "out of memory";
    case -ENOTSUP:
        return "the device cannot do this";
    default:
        return "bad request";
    }
}

static int block_request_check(const struct block_request *request)
{
    const struct block_device *device = request->device;

    if (device->gone)
        return -ENXIO;
    if (request->kind > BLOCK_FREE)
        return -EINVAL;
    if (request->kind == BLOCK_FLUSH)
        return request->count == 0 ? 0 : -EINVAL;
    if (request->count == 0 || request->count > device->max_blocks)
        return -EINVAL;
    if (request->block >= device->blocks || request->count > device->blocks - request->block)
        return -ERANGE;
    if (request->kind != BLOCK_READ && device->read_only)
        return -EROFS;
    return 0;
}

void block_start(struct block_device *device, uint64_t now)
{
    if (device->starting || device->resetting)
        return;
    if (TAILQ_EMPTY(&device->waiting) && TAILQ_EMPTY(&device->again))
        return;
    device->starting = true;
    device->now = now;
    device->driver->start(device);
    device->now = 0;
    device->starting = false;
}

void block_kick(struct block_device *device)
{
    uintptr_t state = spinlock_acquire(&device->lock);

    block_start(device, 0);
    spinlock_release(&device->lock, state);
}

int block_submit(struct block_request *request)
{
    struct block_device *device = request->device;
    uintptr_t state = spinlock_acquire(&device->lock);
    int error = block_request_check(request);

    if (error == 0) {
        request->error = 0;
        request->resid = 0;
        request->tries = 0;
        request->delayed = request->finished = false;
        request->number = ++device->requests;
        wait_queue_init(&request->waiters);
        TAILQ_INSERT_TAIL(&device->waiting, request, link);
        request->submitted = clock_now();
        IO_STATS(block_stats_submit(device, request, request->submitted));
        block_start(device, request->submitted);
    }
    spinlock_release(&device->lock, state);
    return error;
}

int block_wait(struct block_request *request)
{
    struct block_device *device = request->device;
    uintptr_t state = spinlock_acquire(&device->lock);

    if (!request->finished) {
        load_disk_wait(true);
        do
            wait_sleep(&request->waiters, &device->lock, &state, WAIT_FOREVER);
        while (!request->finished);
        load_disk_wait(false);
    }
    spinlock_release(&device->lock, state);
    return request->error;
}

int block_io(struct block_device *device, enum block_kind kind, uint64_t block, uint32_t count,
             void *buffer)
{
    struct block_request request = {
        .device = device, .kind = kind, .block = block, .count = count, .buffer = buffer};
    int error = block_submit(&request);

    return error != 0 ? error : block_wait(&request);
}

static inline __attribute__((always_inline)) void block_tell(struct block_request *request)
{
    request->finished = true;
    if (request->done)
        request->done(request);
    else if (!TAILQ_EMPTY(&request->waiters.threads))
        wait_wake_all(&request->waiters);
}

static __attribute__((noinline, cold)) void block_tell_and_trace(struct block_request *request)
{
    io_trace_record(request);
    block_tell(request);
}

static inline __attribute__((always_inline)) void block_conclude(struct block_request *request)
{
    if (IO_STATS_KEPT && __builtin_expect(io_trace_enabled, 0))
        block_tell_and_trace(request);
    else
        block_tell(request);
}

/* Calls nothing on its usual way but the waiter's wake-up, at its end: it needs no frame. */
void block_finish(struct block_request *request, uint64_t now)
{
    struct block_device *device = request->device;

    request->ended = now;
    device->moved += request->moved;
    device->in_service--;
    IO_STATS(block_stats_end(device, request, now));
    if (device->now != 0)
        device->now = now;
    block_conclude(request);
}

void block_abandon(struct block_request *request, uint64_t now)
{
    request->started = request->ended = now;
    request->running = 0;
    IO_STATS(block_stats_abandon(request));
    block_conclude(request);
}

/* The end that inject_delay has put off. */
static void block_delay_over(struct timer *timer)
{
    struct block_request *request =
        (struct block_request *)((char *)timer - offsetof(struct block_request, timer));
    struct block_device *device = request->device;
    uintptr_t state = spinlock_acquire(&device->lock);
    uint64_t now;

    now = clock_now();
    TAILQ_REMOVE(&device->running, request, link);
    block_finish(request, now);
    block_start(device, now);
    spinlock_release(&device->lock, state);
}

/* REQUEST, in the list of those that run, ends now, or when it has been delayed enough. */
static void block_end(struct block_request *request, uint64_t now)
{
    struct block_device *device = request->device;

    if (device->inject_delay != 0) {
        request->delayed = true;
        timer_set(&request->timer, now + device->inject_delay, block_delay_over);
        return;
    }
    TAILQ_REMOVE(&device->running, request, link);
    block_finish(request, now);
}

/* The next that waits runs from now on. */
static struct block_request *block_begin(struct block_device *device, uint64_t now)
{
    struct block_request *request = TAILQ_FIRST(&device->waiting);

    TAILQ_REMOVE(&device->waiting, request, link);
    request->started = now;
    IO_STATS(block_stats_start(device, request, now));
    request->running = ++device->in_service;
    return request;
}

/* What is started because of a submission or an end starts at the same time. */
static uint64_t block_time_of_start(const struct block_device *device)
{
    return device->now != 0 ? device->now : clock_now();
}

struct block_request *block_next(struct block_device *device)
{
    struct block_request *request;
    uint64_t now;

    for (;;) {
        bool fails = false;

        if (device->resetting || device->gone)
            return NULL;
        request = TAILQ_FIRST(&device->again);
        if (request) {
            TAILQ_REMOVE(&device->again, request, link);
            now = block_time_of_start(device);
        } else {
            if (TAILQ_EMPTY(&device->waiting) || device->in_service >= device->depth)
                return NULL;
            now = block_time_of_start(device);
            request = block_begin(device, now);
            fails = device->inject_errors > 0;
        }
        request->issued = now;
        request->moved = 0;
        TAILQ_INSERT_TAIL(&device->running, request, link);
        if (!fails) {
            request->tries++;
            block_watch(device, now);
            return request;
        }
        device->inject_errors--;
        block_fail(request, -EIO);
        block_end(request, now);
    }
}

void block_done(struct block_request *request)
{
    struct block_device *device = request->device;
    uint64_t now;

    if (request->finished || request->delayed)
        panic("block: %s: request %lu ended twice", device->name, (unsigned long)request->number);
    if (device->inject_lost > 0) {
        device->inject_lost--;
        return;
    }
    now = IO_STATS_KEPT || device->inject_delay != 0 ? clock_now() : 0;
    block_end(request, now);
    block_start(device, now);
}

void block_retry(struct block_request *request, int error)
{
    struct block_device *device = request->device;

    if (request->tries < BLOCK_TRIES) {
        evcnt_incr(&device->stats.retries);
        TAILQ_REMOVE(&device->running, request, link);
        TAILQ_INSERT_TAIL(&device->again, request, link);
        return;
    }
    TAILQ_REMOVE(&device->running, request, link);
    block_fail(request, error);
    block_finish(request, clock_now());
}

void block_recovered(const struct block_request *request)
{
    evcnt_incr(&request->device->stats.faults[BLOCK_FAULT_RECOVERED]);
}
