/* SPDX-License-Identifier: BSD-2-Clause */
/* Network buffers: see buffer.h. */
#include "net/buffer.h"
#include "kernel/memory/page.h"
#include "kernel/lock/spinlock.h"
#include "lib/errno.h"

#define SLOT      2048u /* two in a page, so that none crosses one */
#define ORDER     4u    /* of pages that are taken together */
#define PER_BLOCK ((PAGE_SIZE << ORDER) / SLOT)

_Static_assert(sizeof(struct net_buffer) <= SLOT, "a buffer fits its slot");
_Static_assert(NET_BUFFERS % PER_BLOCK == 0, "whole blocks");

static struct spinlock pool_lock = SPINLOCK_INITIALIZER("network buffers");
PAGE_OWNER(buffer_pages, "network buffers");
static struct net_buffer *pool;
static unsigned pool_free, pool_lowest;

int net_buffer_boot(void)
{
    for (unsigned i = 0; i < NET_BUFFERS / PER_BLOCK; i++) {
        char *block = page_alloc_for(&buffer_pages, ORDER);

        if (!block)
            return -ENOMEM;
        for (unsigned slot = 0; slot < PER_BLOCK; slot++)
            net_buffer_put((struct net_buffer *)(block + slot * SLOT));
    }
    pool_lowest = pool_free;
    return 0;
}

struct net_buffer *net_buffer_get(void)
{
    uintptr_t state = spinlock_acquire(&pool_lock);
    struct net_buffer *buffer = pool;

    if (buffer) {
        pool = buffer->next;
        buffer->next = NULL;
        pool_free--;
        pool_lowest = pool_free < pool_lowest ? pool_free : pool_lowest;
    }
    spinlock_release(&pool_lock, state);
    return buffer;
}

void net_buffer_put(struct net_buffer *buffer)
{
    uintptr_t state = spinlock_acquire(&pool_lock);

    buffer->next = pool;
    pool = buffer;
    pool_free++;
    spinlock_release(&pool_lock, state);
}

unsigned net_buffer_free(unsigned *lowest)
{
    *lowest = pool_lowest;
    return pool_free;
}

void net_queue_init(struct net_queue *queue)
{
    *queue = (struct net_queue){NULL, &queue->first, 0};
}

void net_queue_add(struct net_queue *queue, struct net_buffer *buffer)
{
    buffer->next = NULL;
    *queue->last = buffer;
    queue->last = &buffer->next;
    queue->length++;
}

struct net_buffer *net_queue_take(struct net_queue *queue)
{
    struct net_buffer *buffer = queue->first;

    if (buffer) {
        queue->first = buffer->next;
        if (!queue->first)
            queue->last = &queue->first;
        queue->length--;
        buffer->next = NULL;
    }
    return buffer;
}

void net_queue_drop(struct net_queue *queue)
{
    struct net_buffer *buffer;

    while ((buffer = net_queue_take(queue)))
        net_buffer_put(buffer);
}
