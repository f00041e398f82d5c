/* SPDX-License-Identifier: BSD-2-Clause */
/* A network card of virtio, between virtio_net.c, which moves frames, and virtio_net_setup.c. */
#pragma once

#include <stdbool.h>
#include <sys/evcnt.h>
#include "drivers/virtio_pci.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/interrupt/softint.h"
#include "net/interface.h"

#define VIRTIO_NET_RING   64 /* descriptors each way at most; a power of 2 */
#define VIRTIO_NET_BUDGET 32 /* buffers taken in one soft interrupt */

/* 5.1.3: feature bits. */
#define VIRTIO_NET_MAC       (1ull << 5)
#define VIRTIO_NET_MRG_RXBUF (1ull << 15)
#define VIRTIO_NET_CTRL_VQ   (1ull << 17)
#define VIRTIO_NET_CTRL_RX   (1ull << 18)

/* 5.1.6: what lies before each frame, and where in it the number of its buffers. */
#define VIRTIO_NET_HEADER       12
#define VIRTIO_NET_HEADER_PARTS 10

_Static_assert(VIRTIO_NET_HEADER <= NET_HEADROOM, "a buffer has room before its frame");

struct virtio_net {
    struct net_interface interface;
    struct interrupt_handler handler;
    struct softint soft;
    struct virtio_device device;
    char name[8];
    bool filters;         /* the device drops what is for others */
    struct spinlock lock; /* all below */
    struct virtio_queue receive, transmit, control;
    struct net_buffer *receiving[VIRTIO_NET_RING], *sending[VIRTIO_NET_RING];
    uint8_t free[VIRTIO_NET_RING]; /* places in sending */
    unsigned free_count;
    unsigned parts_left; /* buffers that still belong to a frame too long */
    bool behind;         /* the soft interrupt has work */
    struct evcnt notifications, strange;
};

/* Resets the device, agrees on features, and learns its address: as virtio_pci_reset. */
int virtio_net_agree(struct virtio_net *card);
/* Makes the queues and tells the device; takes the buffers to receive with. 0, -ENOMEM, -ENOTSUP,
 * -EIO. */
int virtio_net_prepare(struct virtio_net *card);
/* Once the device may go: it is to drop what is for others, and to keep all multicasts. */
void virtio_net_set_filter(struct virtio_net *card);
/* Takes up to VIRTIO_NET_BUDGET buffers that the device has filled, and gives them back; if there
 * are more, the card is behind, and the soft interrupt goes on. Lock held. */
void virtio_net_receive(struct virtio_net *card);
/* Counts the frames that the device has sent; their buffers go. */
void virtio_net_reap(struct virtio_net *card);
/* The interface's transmit; takes the lock itself. */
int virtio_net_transmit(struct net_interface *interface, struct net_buffer *buffer);
