/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Block devices: requests from threads to drivers and back.
 *
 * The life of a request: block_submit puts it into the device's wait queue; block_next hands it to
 * the driver when the driver has room, and from then on it runs; the driver's interrupt calls
 * block_done, which wakes whoever waits or calls `done`. What happens to a request is recorded once
 * for each of these steps, with one timestamp (kernel/block/block_stats.h): kstat, devstat, the
 * histogram and iotrace cannot disagree. First come, first served; no elevator.
 *
 * A request that is not done in time makes the driver reset its device, and is tried again. From
 * the statistics' point of view it runs all the while, from its first start to its end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include "kernel/block/block_stats.h"
#include "kernel/lock/spinlock.h"
#include "kernel/time/timer.h"
#include "kernel/thread/wait.h"
#include "lib/errno.h"

#define BLOCK_TIMEOUT_NS 5000000000ull
#define BLOCK_TRIES      3 /* times a request is given to the driver before it fails */

struct interrupt_handler;
struct block_device;

TAILQ_HEAD(block_queue, block_request);

/* The submitter fills in device, kind, block, count, buffer, done and private; zero the rest. */
struct block_request {
    TAILQ_ENTRY(block_request) link; /* in one of the device's lists; its lock */
    struct block_device *device;
    enum block_kind kind;
    uint32_t count; /* blocks; 0 for BLOCK_FLUSH */
    uint64_t block; /* first, in the device's block size */
    void *buffer;   /* contiguous, from page_alloc or kmem_alloc; count * block_size bytes */
    void (*done)(struct block_request *); /* called with the device's lock held: may not submit, and
                                             REQUEST is its own again. NULL: block_wait */
    void *private;                        /* the submitter's */
    /* What came of it. */
    int error;              /* 0 or a negative errno, when done */
    enum block_fault fault; /* why; set by whoever sets an error */
    uint32_t resid;         /* bytes not transferred */
    uint64_t moved;         /* bytes that the driver saw go, in its own way of counting */
    /* For the driver and the block layer. */
    void *driver;                       /* the driver's */
    unsigned tries;                     /* times it was given to the driver */
    uint64_t number;                    /* of this device's requests, from 1 */
    uint64_t submitted, started, ended; /* clock_now() */
    uint64_t issued;                    /* when it was given to the driver last */
    uint32_t waiting, running;          /* as they were, this one included, when it came and when it
                                           was started */
    bool delayed;                       /* its end is put off by inject_delay */
    volatile bool finished;
    struct timer timer; /* that delay */
    struct wait_queue waiters;
};

struct block_driver {
    const char *name; /* what devices are called: "wd", "cd", "vd", "md" */
    /* There may be requests: take them with block_next while there is room. Device's lock held. */
    void (*start)(struct block_device *device);
    /*
     * A request timed out: bring the device to rest and forget all requests that it was given. The
     * block layer gives those that were not block_done meanwhile to the driver again, or fails
     * them. False: it does not come back, and is gone. Thread context, no lock held; nothing is
     * started until it returns.
     */
    bool (*reset)(struct block_device *device);
    /* Before a device is used, where a medium may come and go: sets blocks. 0, or -ENODEV: no
     * medium. NULL: nothing to do. Thread context. */
    int (*open)(struct block_device *device);
    /* Asks a device that seems to be there whether it still is, without a request: 0, -ENODEV (no
     * medium), -EIO. NULL: open tells. Thread context. */
    int (*check)(struct block_device *device);
};

struct block_device {
    /* The driver fills these in before block_attach. */
    const struct block_driver *driver;
    void *softc;         /* the driver's */
    uint32_t block_size; /* 512, 2048 */
    uint32_t max_blocks; /* per request */
    uint64_t blocks;
    unsigned depth; /* requests that the driver takes at a time */
    bool read_only;
    unsigned faults; /* that the driver can tell: bits, 1 << BLOCK_FAULT_MEDIA and so on */
    char model[44];  /* what it calls itself, or "" */
    char vendor[9], revision[9], serial[21]; /* likewise */
    const char *controller;                  /* its name; NULL: the device is by itself */
    const struct interrupt_handler *handler; /* of its interrupts, perhaps not its alone; or NULL */
    /* The block layer's. The lock guards all that follows. */
    TAILQ_ENTRY(block_device) all;
    char name[16]; /* "wd0" */
    unsigned unit;
    struct spinlock lock;
    bool gone, starting, resetting, reset_wanted;
    struct block_queue waiting, running, again; /* again: run, but wait to be given once more */
    uint64_t now;                               /* while `starting`: the time that it is */
    uint64_t requests;                          /* ever */
    uint64_t moved;                             /* by all that have ended */
    unsigned in_service; /* requests that have left `waiting` and not ended */
    uint64_t timeout;    /* ns */
    struct timer watch;  /* looks for what is not done in time */
    struct block_stats stats;
    kstat_t *service;       /* NAME_service: its service times; NULL: no memory for it */
    unsigned inject_errors; /* requests that are to fail with -EIO, not given to the driver */
    unsigned inject_lost;   /* ends that are to be ignored */
    uint64_t inject_delay;  /* ns that each end is put off */
};

/* Adds DEVICE under a name of its own. 0, or -ENOMEM. Thread context. */
int block_attach(struct block_device *device, const struct block_type *type);
/* Timeouts so far of the devices with HANDLER. Any context. */
uint64_t block_timeouts_of(const struct interrupt_handler *handler);
/* Takes it off again, with its statistics. Nobody uses it, or finds it meanwhile; nothing is
 * queued. Thread context. */
void block_detach(struct block_device *device);
/* The device is gone: what it had fails with -ENXIO, and so does what comes. It stays in the list.
 * Any context, lock not held. */
void block_gone(struct block_device *device);
/* By name; NULL. Call late_start() before, so that devices have been looked for. Devices stay. */
struct block_device *block_find(const char *name);
/* Every device, in order of attachment; NULL begins and ends. */
struct block_device *block_next_device(struct block_device *device);
/* To be called before a device is used; 0, -ENODEV (no medium) or -ENXIO (gone). Thread context. */
int block_open(struct block_device *device);
/* For who lists devices: what block_open would say, or -EIO (the device fails what it is asked). An
 * answer may take as long as a request. Thread context. */
int block_check(struct block_device *device);

/*
 * Checks and queues REQUEST: -EINVAL (no blocks, more than max_blocks, unknown kind), -ERANGE (not
 * on the device), -EROFS, -ENXIO (gone). After an error nothing has happened. Any context; no lock
 * of a block device held.
 */
int block_submit(struct block_request *request);
/* Waits for its end: its error. Thread context. */
int block_wait(struct block_request *request);
/* Both. */
int block_io(struct block_device *device, enum block_kind kind, uint64_t block, uint32_t count,
             void *buffer);

/* For drivers: there may be room again. Any context, lock not held. */
void block_kick(struct block_device *device);
/* For drivers, the device's lock held: the next request to start; NULL if there is none, or no
 * room. */
struct block_request *block_next(struct block_device *device);
/* REQUEST has ended, as its error, resid and moved say; starts the next. Any context, lock held. */
void block_done(struct block_request *request);
/* REQUEST is to be given to the driver once more; after too many tries it ends with ERROR. Lock
 * held. */
void block_retry(struct block_request *request, int error);

/* The device has done REQUEST, which is about to end, with pains, as it says. Lock held. */
void block_recovered(const struct block_request *request);

static inline uint64_t block_bytes(const struct block_request *request)
{
    return (uint64_t)request->count * request->device->block_size;
}

/* What an error of this layer says of its cause. */
static inline enum block_fault block_fault_of(int error)
{
    return error == -ENXIO     ? BLOCK_FAULT_NO_DEVICE
           : error == -ENOTSUP ? BLOCK_FAULT_ILLEGAL
                               : BLOCK_FAULT_UNTOLD;
}

/* Nothing was transferred, because of ERROR: for whoever ends REQUEST. Lock held. */
static inline void block_fail(struct block_request *request, int error)
{
    request->error = error;
    request->fault = block_fault_of(error);
    request->resid = (uint32_t)block_bytes(request);
    request->moved = 0;
}

/* What an error of this layer is called: "I/O error". */
const char *block_error_name(int error);
/* "read", "write", "flush", "free". */
const char *block_kind_name(enum block_kind kind);
