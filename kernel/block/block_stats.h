/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is counted of a block device: the only place where requests are. Each step of a request is
 * told here once, with its timestamp, the device's lock held.
 *
 * A devstat transaction lasts from a request's submission to its end, as FreeBSD's does. The kstat
 * is of reads and writes only, as it has no place for the number of others: its wait queue holds
 * those that wait, its run queue those that the device has. Each figure is recorded once, and the
 * kstat's run queue is the difference: reads and writes that are in the devstat and do not wait.
 * So the sum of its length over time is their durations less what they have waited; it was not
 * empty while the device was busy and not without any of them, `idle_ns`. What is in a queue now is
 * added by the reader.
 *
 * As requests leave the wait queue in the order in which they came, what each adds to the time for
 * which that was not empty begins with its submission or with the leave of the one before,
 * whichever is later. What the first request waits of those with which a device becomes busy adds
 * the same to all of these sums, and is kept apart, as that is how most come.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/devicestat.h>
#include <sys/evcnt.h>
#include <sys/kstat.h>

struct block_device;
struct block_request;

/*
 * What is recorded of requests, and the times taken for that alone. `make bench` builds a kernel
 * without it, with QUIPU_WITHOUT_IO_STATS, to tell what it costs; no other kernel is without.
 */
#ifdef QUIPU_WITHOUT_IO_STATS
#define IO_STATS_KEPT 0
#else
#define IO_STATS_KEPT 1
#endif
#define IO_STATS(statement) (IO_STATS_KEPT ? (void)(statement) : (void)0)

enum block_kind { BLOCK_READ, BLOCK_WRITE, BLOCK_FLUSH, BLOCK_FREE };
#define BLOCK_KINDS 4

/*
 * Why a request failed, as far as its driver can tell: what SunOS' `iostat -E` distinguishes.
 * Recovered is what the device did with pains, but did.
 */
enum block_fault {
    BLOCK_FAULT_UNTOLD, /* there was an error; nobody has said more */
    BLOCK_FAULT_MEDIA,
    BLOCK_FAULT_NOT_READY,
    BLOCK_FAULT_NO_DEVICE,
    BLOCK_FAULT_RECOVERED,
    BLOCK_FAULT_ILLEGAL, /* the device cannot do what it was asked for */
    BLOCK_FAULT_TRANSPORT
};
#define BLOCK_FAULTS 7

/* What kind of device it is, for those who list devices. */
struct block_type {
    devstat_type_flags type; /* DEVSTAT_TYPE_DIRECT | DEVSTAT_TYPE_IF_IDE */
    devstat_priority priority;
    bool tagged; /* it takes several requests, and ends them in any order: each has a simple tag */
};

struct block_stats {
    struct devstat devstat; /* with the histogram of service times */
    /* Of reads and writes. first_ns is a part of each of the next three sums. */
    uint64_t first_ns;  /* waited by those that came to a device with no request */
    uint64_t waited_ns; /* by all that have left the wait queue */
    uint64_t wait_ns;   /* for which the wait queue was not empty, until one left it last */
    uint64_t wait_last; /* when that was */
    uint64_t idle_ns;   /* for which the device was busy and had none, until it got one last */
    uint64_t run_last;  /* when one in service ended last */
    uint64_t abandoned[BLOCK_KINDS];   /* ended without having been started */
    const struct block_request *first; /* came last to a device with none; it may have ended */
    unsigned others;                   /* requests in service that are neither */
    kstat_t *kstat;                    /* DRIVER:UNIT:NAME, class disk */
    struct evcnt errors, timeouts, retries, resets;
    struct evcnt faults[BLOCK_FAULTS]; /* attached are those that the device can tell of */
};

/* 0 or -ENOMEM. Thread context. */
int block_stats_attach(struct block_device *device, const struct block_type *type);

void block_stats_detach(struct block_device *device);

/* Whether DEVICE counts failures of this kind. */
bool block_stats_tells(const struct block_device *device, enum block_fault fault);

/* REQUEST has ended without having been started; device's lock held. */
void block_stats_abandon(const struct block_request *request);

/* What its kstat says now; the time of that. Any context, lock not held. */
uint64_t block_stats_io(struct block_device *device, kstat_io_t *io);
