/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of block devices: who comes, who goes. */
#include "kernel/block/block.h"
#include "kernel/block/block_maker.h"
#include "kernel/block/block_private.h"
#include "kernel/time/clock.h"
#include "kernel/block/kstat_device_error.h"
#include "kernel/block/kstat_service.h"
#include "kernel/base/panic.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "lib/string.h"

#define DRIVERS 8

static TAILQ_HEAD(, block_device) devices = TAILQ_HEAD_INITIALIZER(devices);
static struct spinlock list_lock = SPINLOCK_INITIALIZER("block devices");
static bool watched;
static struct {
    const char *name;
    unsigned next;
} units[DRIVERS]; /* list_lock */

/* Units are never used again. */
static unsigned block_device_next_unit(const char *name)
{
    for (unsigned i = 0; i < DRIVERS; i++)
        if (!units[i].name || strcmp(units[i].name, name) == 0) {
            units[i].name = name;
            return units[i].next++;
        }
    panic("block: more than %u kinds of devices", DRIVERS);
}

static void block_device_collect_service(const void *source, struct histogram *out)
{
    struct block_device *device = (struct block_device *)(uintptr_t)source;
    uintptr_t state = spinlock_acquire(&device->lock);

    *out = device->stats.devstat.service;
    spinlock_release(&device->lock, state);
}

int block_attach(struct block_device *device, const struct block_type *type)
{
    char name[sizeof device->name + 8];
    uintptr_t state;
    bool first;
    int error;

    TAILQ_INIT(&device->waiting);
    TAILQ_INIT(&device->running);
    TAILQ_INIT(&device->again);
    device->timeout = BLOCK_TIMEOUT_NS;
    device->faults |= 1u << BLOCK_FAULT_NO_DEVICE; /* which is the block layer's to tell */
    state = spinlock_acquire(&list_lock);
    first = !watched;
    watched = true;
    device->unit = block_device_next_unit(device->driver->name);
    format(device->name, sizeof device->name, "%s%u", device->driver->name, device->unit);
    spinlock_init(&device->lock, device->name);
    spinlock_release(&list_lock, state);
    if (first)
        block_watch_boot();
    error = block_stats_attach(device, type);
    if (error != 0)
        return error;
    format(name, sizeof name, "%s_service", device->name);
    device->service = kstat_service_create(device->driver->name, (int)device->unit, name,
                                           block_device_collect_service, device,
                                           device->stats.devstat.creation_ns);
    kstat_device_error_create(device);
    state = spinlock_acquire(&list_lock);
    TAILQ_INSERT_TAIL(&devices, device, all);
    spinlock_release(&list_lock, state);
    return 0;
}

void block_detach(struct block_device *device)
{
    uintptr_t state = spinlock_acquire(&list_lock);

    TAILQ_REMOVE(&devices, device, all);
    spinlock_release(&list_lock, state);
    timer_cancel_wait(&device->watch);
    block_watch_wait();
    kstat_device_error_delete(device);
    kstat_service_delete(device->service);
    block_stats_detach(device);
}

struct block_device *block_next_device(struct block_device *device)
{
    uintptr_t state = spinlock_acquire(&list_lock);
    struct block_device *next = device ? TAILQ_NEXT(device, all) : TAILQ_FIRST(&devices);

    spinlock_release(&list_lock, state);
    return next;
}

uint64_t block_timeouts_of(const struct interrupt_handler *handler)
{
    struct block_device *device = NULL;
    uint64_t sum = 0;

    while ((device = block_next_device(device)) != NULL)
        if (device->handler == handler)
            sum += evcnt_value(&device->stats.timeouts);
    return sum;
}

struct block_device *block_find(const char *name)
{
    struct block_device *device = NULL;

    while ((device = block_next_device(device)) != NULL && strcmp(device->name, name) != 0)
        ;
    return device;
}

const struct block_maker *block_maker_find(const char *name)
{
    const struct block_maker *const *maker;

    LINKER_SET_FOREACH (maker, block_makers)
        if (strcmp((*maker)->name, name) == 0)
            return *maker;
    return NULL;
}

int block_open(struct block_device *device)
{
    if (device->gone)
        return -ENXIO;
    return device->driver->open ? device->driver->open(device) : 0;
}

int block_check(struct block_device *device)
{
    int error = block_open(device);

    return error == 0 && device->driver->check ? device->driver->check(device) : error;
}

/* Ends what runs, but for what a timer ends already. */
static void block_device_fail_running(struct block_queue *queue)
{
    struct block_request *request, *next;

    for (request = TAILQ_FIRST(queue); request; request = next) {
        next = TAILQ_NEXT(request, link);
        if (request->delayed && !timer_cancel(&request->timer))
            continue;
        TAILQ_REMOVE(queue, request, link);
        block_fail(request, -ENXIO);
        block_finish(request, clock_now());
    }
}

void block_gone(struct block_device *device)
{
    uintptr_t state = spinlock_acquire(&device->lock);
    struct block_request *request;

    device->gone = true;
    block_device_fail_running(&device->running);
    block_device_fail_running(&device->again);
    while ((request = TAILQ_FIRST(&device->waiting)) != NULL) {
        TAILQ_REMOVE(&device->waiting, request, link);
        block_fail(request, -ENXIO);
        block_abandon(request, clock_now());
    }
    spinlock_release(&device->lock, state);
}
