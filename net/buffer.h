/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The buffers that frames lie in: a pool of fixed size, in memory that devices may write to. A
 * buffer has one owner, who gives it on or puts it back. Queues of them are bounded and first in,
 * first out; who owns a queue locks it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "net/wire.h"

#define NET_BUFFERS     160
#define NET_FRAME_BYTES 1600 /* room for a frame, its FCS, and what chips write beyond */
#define NET_HEADROOM    16   /* room just before a frame, for what a device has there */

struct net_interface;

struct net_buffer {
    struct net_buffer *next;
    struct net_interface *interface; /* it came by, or goes to */
    uint64_t arrived;                /* clock_now() when the driver handed it up */
    uint32_t length;                 /* bytes of the frame, without FCS */
    struct wire_ipv4 ip;             /* of a packet received, once it was read */
    _Alignas(16) uint8_t headroom[NET_HEADROOM];
    uint8_t frame[NET_FRAME_BYTES]; /* from the Ethernet header on */
};

_Static_assert(offsetof(struct net_buffer, frame) ==
                   offsetof(struct net_buffer, headroom) + NET_HEADROOM,
               "nothing between them");

struct net_queue {
    struct net_buffer *first, **last;
    unsigned length;
};

/* Makes the pool: 0 or -ENOMEM. Once; thread context. */
int net_buffer_boot(void);
/* NULL if all are in use. Any context. */
struct net_buffer *net_buffer_get(void);
void net_buffer_put(struct net_buffer *buffer);
/* How many are in the pool, and the least that ever were. */
unsigned net_buffer_free(unsigned *lowest);

void net_queue_init(struct net_queue *queue);
void net_queue_add(struct net_queue *queue, struct net_buffer *buffer);
struct net_buffer *net_queue_take(struct net_queue *queue); /* NULL if it is empty */
void net_queue_drop(struct net_queue *queue);               /* all back to the pool */
