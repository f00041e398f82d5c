/* SPDX-License-Identifier: BSD-2-Clause */
/* A PCnet card, between pcnet.c, pcnet_receive.c and pcnet_send.c. Whoever calls these holds its
 * lock. */
#pragma once

#include <stdbool.h>
#include <sys/evcnt.h>
#include "drivers/pcnet_chip.h"
#include "kernel/interrupt/interrupt.h"
#include "kernel/memory/page.h"
#include "kernel/lock/spinlock.h"
#include "net/interface.h"

#define RING      32 /* descriptors each way; a power of 2 */
#define RING_CODE 5  /* its logarithm */

/* What the chip reads and writes: one page. */
struct shared {
    struct descriptor receive[RING], transmit[RING];
    struct init_block init;
};

_Static_assert(sizeof(struct shared) <= PAGE_SIZE, "one page");

struct pcnet {
    struct net_interface interface;
    struct interrupt_handler handler;
    uint16_t port;
    char name[8];
    struct spinlock lock; /* the chip's registers, and all below */
    volatile struct shared *shared;
    struct net_buffer *receiving[RING], *sending[RING];
    unsigned receive_next;                 /* descriptor that is looked at next */
    unsigned transmit_next, transmit_done; /* number of frames ever, modulo 2^32 */
    uint16_t missed;                       /* the chip's count when last read */
    bool silent;                           /* a MISS came without a frame, and no frame since */
    struct evcnt restarts;
    struct evcnt skips;   /* the chip had left out descriptors */
    struct evcnt babbles; /* frames that were sent for longer than any may last */
};

/* What was written to memory before is seen by the chip before what comes after. */
static inline void pcnet_barrier(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* The length as the chip wants it: negative, in 12 bits, ones before it. */
static inline uint32_t pcnet_negative(uint32_t length)
{
    return ONES | ((0u - length) & LENGTH_MASK);
}

/* All descriptors to the chip, which begins at the first. */
void pcnet_receive_begin(struct pcnet *p);
/*
 * How many descriptors hold whole frames. The chip may not be done with the last one yet: read one
 * of its registers before they are taken.
 */
unsigned pcnet_received(struct pcnet *p);
/* Hands those frames up, or counts why not; the descriptors go back to the chip. */
void pcnet_receive(struct pcnet *p, unsigned count);
/* After a missed frame: whether the chip misses frames although it has all descriptors. RECEIVED is
 * how many held frames then. */
bool pcnet_is_deaf(struct pcnet *p, unsigned received);

/* The chip's from now on, which is still to be told; or -ENOBUFS, counted, and BUFFER has gone. */
int pcnet_send(struct pcnet *p, struct net_buffer *buffer);
/* Counts the frames that the chip is done with, in their order; their buffers go. */
void pcnet_reap(struct pcnet *p);
/* The same for an interrupt whose register 0 says CAUSES. */
void pcnet_sent(struct pcnet *p, uint16_t causes);
/* The others, which the chip has not sent and never will, are output errors. */
void pcnet_drop_sending(struct pcnet *p);
