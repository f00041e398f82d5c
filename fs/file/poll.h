/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting for several files at once: poll, select. A file that can be waited for has a poll_source,
 * which its owner wakes whenever what poll would say may have changed. Who waits registers once
 * with each file that it asks for, and sleeps; costs go by the number of files asked for.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include "kernel/lock/spinlock.h"
#include "kernel/thread/wait.h"

/* As poll(2) numbers them. */
#define POLLIN      0x001u
#define POLLPRI     0x002u
#define POLLOUT     0x004u
#define POLLERR     0x008u
#define POLLHUP     0x010u
#define POLLNVAL    0x020u
#define POLLRDNORM  0x040u
#define POLLRDBAND  0x080u
#define POLLWRNORM  0x100u
#define POLLWRBAND  0x200u
#define POLLRDHUP   0x2000u
#define POLL_READ   (POLLIN | POLLRDNORM)
#define POLL_WRITE  (POLLOUT | POLLWRNORM)
#define POLL_ALWAYS (POLLERR | POLLHUP) /* is told of without being asked for */

struct file;

struct poll_source {
    struct spinlock lock;
    LIST_HEAD(, poll_entry) entries;
};

struct poller {
    struct spinlock lock;
    struct wait_queue waiters;
    bool woken;
};

/* An interest in one source. */
struct poll_entry {
    LIST_ENTRY(poll_entry) link; /* the source's lock */
    struct poll_source *source;  /* NULL: with none */
    uint32_t events;             /* which are of interest; POLL_ALWAYS is */
    /* The source is woken; its lock is held. */
    void (*wake)(struct poll_entry *entry);
    struct poller *poller; /* poll_files' own */
};

void poll_source_init(struct poll_source *source);
/* EVENTS may have begun to hold. Any context that may take spinlocks. */
void poll_source_wake(struct poll_source *source, uint32_t events);
/* Whether anybody watches it; without a lock. */
static inline bool poll_source_is_watched(const struct poll_source *source)
{
    return !LIST_EMPTY(&source->entries);
}
/* ENTRY watches its source, if it has one, no longer. */
void poll_source_leave(struct poll_entry *entry);
/* For a file's poll function: before it looks at its state. ENTRY may be NULL. */
void poll_source_watch(struct poll_source *source, struct poll_entry *entry);

/* A file that is asked for; the caller fills in the first two. */
struct poll_request {
    struct file *file; /* a reference is held; NULL: POLLNVAL if BAD, else never ready */
    uint32_t events;   /* POLL* */
    bool bad;
    uint32_t ready; /* the answer; POLLERR, POLLHUP and POLLNVAL also unasked */
    struct poll_entry entry;
};

/* Waits until one of them is ready or clock_now() reaches DEADLINE (0: looks once; WAIT_FOREVER):
 * how many are; -EINTR. */
long poll_files(struct poll_request *requests, size_t count, uint64_t deadline);
/* Without waiting: POLL* of EVENTS (and POLLERR, POLLHUP) that hold. */
uint32_t file_poll(struct file *file, uint32_t events, struct poll_entry *entry);
