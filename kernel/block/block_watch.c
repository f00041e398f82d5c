/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests that are not done in time. Each device has one timer, set for its oldest request while
 * it has any; a thread resets devices, since that takes time.
 */
#include "kernel/block/block_private.h"
#include "kernel/time/clock.h"
#include "kernel/base/log.h"
#include "kernel/base/panic.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"

static struct spinlock watch_lock = SPINLOCK_INITIALIZER("block watch");
static struct wait_queue watcher = WAIT_QUEUE_INITIALIZER(watcher);
static bool wanted;  /* some device's reset_wanted; watch_lock */
static bool walking; /* the thread looks at all devices; watch_lock */

/* The oldest request that the driver has; one that is delayed is not with it any more. */
static struct block_request *block_watch_oldest(struct block_device *device)
{
    struct block_request *request;

    TAILQ_FOREACH (request, &device->running, link)
        if (!request->delayed)
            return request;
    return NULL;
}

static void block_watch_look(struct timer *timer)
{
    struct block_device *device =
        (struct block_device *)((char *)timer - offsetof(struct block_device, watch));
    uintptr_t state = spinlock_acquire(&device->lock);
    struct block_request *request = block_watch_oldest(device);
    bool late = false;

    if (request && !device->resetting && !device->gone) {
        late = clock_now() >= request->issued + device->timeout;
        device->reset_wanted |= late;
        if (late)
            evcnt_incr(&device->stats.timeouts);
        else
            timer_set(timer, request->issued + device->timeout, block_watch_look);
    }
    spinlock_release(&device->lock, state);
    if (!late)
        return;
    state = spinlock_acquire(&watch_lock);
    wanted = true;
    wait_wake_all(&watcher);
    spinlock_release(&watch_lock, state);
}

void block_watch(struct block_device *device, uint64_t now)
{
    if (!device->watch.pending || timer_deadline(&device->watch) > now + device->timeout)
        timer_set(&device->watch, now + device->timeout, block_watch_look);
}

/* What the driver has forgotten is given to it again. */
static void block_watch_give_again(struct block_device *device)
{
    struct block_request *request;

    while ((request = block_watch_oldest(device)) != NULL)
        block_retry(request, -ETIMEDOUT);
}

static void block_watch_reset(struct block_device *device)
{
    uintptr_t state = spinlock_acquire(&device->lock);
    const struct block_request *request;
    bool alive;

    if (!device->reset_wanted || device->gone) {
        spinlock_release(&device->lock, state);
        return;
    }
    device->reset_wanted = false;
    request = block_watch_oldest(device);
    if (!request || request->issued + device->timeout > clock_now()) { /* it has ended meanwhile */
        if (request)
            timer_set(&device->watch, request->issued + device->timeout, block_watch_look);
        spinlock_release(&device->lock, state);
        return;
    }
    device->resetting = true;
    evcnt_incr(&device->stats.resets);
    spinlock_release(&device->lock, state);
    log_printf("%s: a request was not done in time; resetting", device->name);
    alive = device->driver->reset(device);
    state = spinlock_acquire(&device->lock);
    block_watch_give_again(device);
    device->resetting = false;
    if (alive)
        block_start(device, 0);
    spinlock_release(&device->lock, state);
    if (!alive) {
        log_printf("%s: does not come back; given up", device->name);
        block_gone(device);
    }
}

static void watch_thread(void *unused)
{
    (void)unused;
    for (;;) {
        uintptr_t state = spinlock_acquire(&watch_lock);

        while (!wanted)
            wait_sleep(&watcher, &watch_lock, &state, WAIT_FOREVER);
        wanted = false;
        walking = true;
        spinlock_release(&watch_lock, state);
        for (struct block_device *d = block_next_device(NULL); d; d = block_next_device(d))
            block_watch_reset(d);
        state = spinlock_acquire(&watch_lock);
        walking = false;
        spinlock_release(&watch_lock, state);
    }
}

void block_watch_wait(void)
{
    bool busy;

    do {
        uintptr_t state = spinlock_acquire(&watch_lock);

        busy = walking || wanted;
        spinlock_release(&watch_lock, state);
        if (busy)
            thread_sleep(1000000);
    } while (busy);
}

void block_watch_boot(void)
{
    if (thread_create("block", THREAD_PRIORITY_HIGH, watch_thread, NULL, NULL) != 0)
        panic("block: no memory for a thread");
}
