/* SPDX-License-Identifier: BSD-2-Clause */
/* Mailboxes: see mailbox.h. */
#include "net/mailbox.h"
#include "lib/errno.h"

void net_mailbox_init(struct net_mailbox *box, const char *name)
{
    spinlock_init(&box->lock, name);
    wait_queue_init(&box->waiters);
    net_queue_init(&box->queue);
}

int net_mailbox_put(struct net_mailbox *box, struct net_buffer *buffer)
{
    uintptr_t state = spinlock_acquire(&box->lock);
    int error = box->queue.length < MAILBOX_ROOM ? 0 : -ENOBUFS;

    if (error == 0) {
        net_queue_add(&box->queue, buffer);
        wait_wake_one(&box->waiters);
    }
    spinlock_release(&box->lock, state);
    return error;
}

int net_mailbox_get(struct net_mailbox *box, uint64_t deadline, struct net_buffer **out)
{
    uintptr_t state = spinlock_acquire(&box->lock);
    int error = 0;

    while (!(*out = net_queue_take(&box->queue)) && error == 0)
        error = wait_interruptible(&box->waiters, &box->lock, &state, deadline);
    spinlock_release(&box->lock, state);
    return *out ? 0 : error;
}

void net_mailbox_empty(struct net_mailbox *box)
{
    uintptr_t state = spinlock_acquire(&box->lock);

    net_queue_drop(&box->queue);
    spinlock_release(&box->lock, state);
}
