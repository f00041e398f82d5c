/* SPDX-License-Identifier: BSD-2-Clause */
/* Where packets wait for a thread: soft interrupts put them in, the thread takes them out. */
#pragma once

#include "kernel/lock/spinlock.h"
#include "kernel/thread/wait.h"
#include "net/buffer.h"

#define MAILBOX_ROOM 32

struct net_mailbox {
    struct spinlock lock;
    struct wait_queue waiters;
    struct net_queue queue;
};

void net_mailbox_init(struct net_mailbox *box, const char *name);
/* -ENOBUFS if it is full; the buffer is then still the caller's. Any context. */
int net_mailbox_put(struct net_mailbox *box, struct net_buffer *buffer);
/* Waits until clock_now() reaches DEADLINE: 0, -ETIMEDOUT, or -EINTR where ^C ended it. */
int net_mailbox_get(struct net_mailbox *box, uint64_t deadline, struct net_buffer **out);
/* Drops what is in it. */
void net_mailbox_empty(struct net_mailbox *box);
