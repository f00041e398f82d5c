/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Network interfaces: what a driver offers, what it hands up, and the one place where frames and
 * bytes are counted. Bytes are those of the frame from its Ethernet header on, without the FCS.
 *
 * Of what comes in: ipackets were handed up by the driver, ierrors were damaged or of a bad length,
 * norcvbuf found no buffer to be replaced by, missed found no descriptor in the chip. Their sum is
 * what was on the wire for us. Of ipackets, idrops found the input queue full or the interface
 * down, unknowns no protocol, and the others, once they have left the input queue, are what ARP and
 * IPv4 have received.
 *
 * Of outputs, opackets were sent, oerrors could not be, noxmtbuf found the chip's ring full, odrops
 * the interface down, and the others are still with the chip.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/evcnt.h>
#include <sys/queue.h>
#include "kernel/lock/spinlock.h"
#include "net/buffer.h"

enum net_count {
    NET_IPACKETS,
    NET_OPACKETS,
    NET_RBYTES, /* the two numbers of bytes are added to ev_count, under the lock */
    NET_OBYTES,
    NET_IERRORS,
    NET_OERRORS,
    NET_COLLISIONS, /* added to ev_count, under the lock */
    NET_MULTIRCV,
    NET_MULTIXMT,
    NET_BRDCSTRCV,
    NET_BRDCSTXMT,
    NET_NORCVBUF,
    NET_NOXMTBUF, /* frames to be sent that found the chip's ring full */
    NET_MISSED,   /* added to ev_count, under the lock */
    NET_IDROPS,
    NET_UNKNOWN, /* frames of a protocol that nobody here speaks */
    NET_OUTPUTS, /* frames handed over to be sent */
    NET_ODROPS,  /* those of them that found the interface down */
    NET_COUNTS
};

struct net_interface {
    /* The driver fills these before net_interface_attach. */
    const char *name; /* "pcnet0"; must persist */
    uint8_t mac[ETHERNET_ADDRESS];
    bool loopback;
    /* Sends BUFFER, which it takes in any case: 0, or -ENOBUFS. Any context. */
    int (*transmit)(struct net_interface *, struct net_buffer *);
    /* How many frames it has that are neither sent nor counted as lost, while everything stands
     * still; NULL: none ever. */
    unsigned (*sending)(const struct net_interface *);
    /* Brings counts up to date that the chip keeps; NULL if it keeps none. Thread context. */
    void (*refresh)(struct net_interface *);

    /* ifconfig writes these, each whole. */
    volatile uint32_t address, netmask;
    volatile bool up;

    struct spinlock lock;
    struct net_queue input; /* lock */
    struct evcnt counts[NET_COUNTS];
    STAILQ_ENTRY(net_interface) all;
};

/* Makes it known and attaches its counters; it must be static. 0 or -ENOMEM. Thread context. */
int net_interface_attach(struct net_interface *interface);
/* In order of arrival; NULL begins. */
struct net_interface *net_interface_next(const struct net_interface *interface);
struct net_interface *net_interface_find(const char *name);
uint64_t net_interface_count(const struct net_interface *interface, enum net_count which);
/* The name of a counter, as evcnts and kstats have it. */
const char *net_count_name(enum net_count which);

/* Driver: a good frame has come, BUFFER->length bytes of it. Takes the buffer. Any context. */
void net_interface_input(struct net_interface *interface, struct net_buffer *buffer);
/* Driver: FRAME of LENGTH bytes has been sent. Any context. */
void net_interface_sent(struct net_interface *interface, const uint8_t *frame, uint32_t length);
/* Driver: N more of what is not counted one by one. */
void net_interface_add(struct net_interface *interface, enum net_count which, uint64_t n);

/* Sends a frame whose payload is there: fills it up, writes its header. Takes BUFFER: 0, -ENOBUFS,
 * -ENETDOWN. */
int net_interface_output(struct net_interface *interface, struct net_buffer *buffer,
                         const uint8_t *destination, uint16_t type);

/* The next frame that has come, of any interface; NULL if there is none. For the soft interrupt. */
struct net_buffer *net_interface_take(void);
