/* SPDX-License-Identifier: BSD-2-Clause */
/* POSIX message queues: mq_overview(7). One mutex is for all of them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include "abi/common.h"
#include "fs/file/poll.h"
#include "kernel/thread/condvar.h"

struct file;

struct mqueue_message {
    TAILQ_ENTRY(mqueue_message) link;
    uint32_t priority;
    size_t size;
    char data[];
};

struct mqueue {
    TAILQ_ENTRY(mqueue) link;
    char *name;          /* kmem */
    bool linked;         /* it has its name still */
    uint32_t references; /* files, and the name */
    uint32_t uid, gid, mode;
    uint64_t most, size, count, bytes;
    TAILQ_HEAD(mqueue_messages, mqueue_message) messages; /* the most urgent first */
    kcondvar_t changed;
    struct poll_source source;
    struct file *notified; /* by whom a notification was asked for, not a reference; or NULL */
    uint32_t notified_id;  /* the program */
    struct abi_sigevent notification;
    uint32_t readers; /* who wait: they come before a notification */
};

extern kmutex_t mqueue_mutex;

/* NULL: it is none. */
struct mqueue *mqueue_of(const struct file *file);
/* With the mutex: a message has come to an empty queue that nobody waits for. */
void mqueue_notify(struct mqueue *queue);
