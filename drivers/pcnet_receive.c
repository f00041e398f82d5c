/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a PCnet receives. A frame goes up in the buffer that the chip wrote to, and a fresh one
 * takes its place; if there is none, the frame is dropped and the buffer used again.
 *
 * A descriptor that the chip has given back says where a frame begins (STP). Its end, ENP or ERR,
 * stands in the same descriptor, or in a later one if the frame was too long, and may be written
 * later. QEMU writes it with the whole descriptor: had that gone back to the chip already, it would
 * look like another frame, and the chip would find its ring torn. So nothing is taken before its
 * frame has an end, and the chip has done with it when a register is read after that, as QEMU
 * serves registers and receives one after the other (on a bus the answer comes behind what was
 * written).
 *
 * The data sheet's chip goes from one descriptor to the next. QEMU's, when that is not its own,
 * takes the next one that is: if we give it several back meanwhile, it leaves out the first. It
 * also never finds the last of the ring that way, and would miss all frames were that the only one
 * left. So where the next descriptor is the chip's, but a later one holds a frame, the driver
 * follows.
 */
#include <arch/memory.h>
#include "drivers/pcnet.h"
#include "lib/endian.h"

#define FCS 4

static uint32_t pcnet_receive_status_of(const struct pcnet *p, unsigned i)
{
    return le32_to_cpu(p->shared->receive[i % RING].status);
}

static void pcnet_receive_give(struct pcnet *p, unsigned i)
{
    volatile struct descriptor *d = &p->shared->receive[i];

    d->address = cpu_to_le32((uint32_t)memory_physical(p->receiving[i]->frame));
    d->length = 0;
    pcnet_barrier();
    d->status = cpu_to_le32(STATUS_OWN | pcnet_negative(NET_FRAME_BYTES));
}

void pcnet_receive_begin(struct pcnet *p)
{
    for (unsigned i = 0; i < RING; i++)
        pcnet_receive_give(p, i);
    p->receive_next = 0;
    p->silent = false;
}

static unsigned pcnet_receive_count_whole(const struct pcnet *p)
{
    unsigned whole = 0;

    for (unsigned i = 0; i < RING; i++) {
        uint32_t status = pcnet_receive_status_of(p, p->receive_next + i);

        if (status & STATUS_OWN)
            break;
        if (status & (STATUS_ERR | RECEIVE_ENP))
            whole = i + 1;
    }
    pcnet_barrier();
    return whole;
}

/* Whether the chip has left out descriptors; then the next is the first that it has not. If the one
 * it had to fill first has been filled meanwhile, it has left out none. */
static bool pcnet_receive_follow(struct pcnet *p)
{
    for (unsigned i = 1; i < RING; i++) {
        if (pcnet_receive_status_of(p, p->receive_next + i) & STATUS_OWN)
            continue;
        pcnet_barrier();
        if (!(pcnet_receive_status_of(p, p->receive_next) & STATUS_OWN))
            return false;
        p->receive_next = (p->receive_next + i) % RING;
        evcnt_incr(&p->skips);
        return true;
    }
    return false;
}

unsigned pcnet_received(struct pcnet *p)
{
    unsigned whole = pcnet_receive_count_whole(p);

    if (pcnet_receive_status_of(p, p->receive_next) & STATUS_OWN && pcnet_receive_follow(p))
        whole = pcnet_receive_count_whole(p);
    return whole;
}

/* The frame that ends in descriptor I, and began there if it is sound. */
static void receive_one(struct pcnet *p, unsigned i, uint32_t status)
{
    struct net_buffer *buffer = p->receiving[i], *fresh;
    uint32_t length = (le32_to_cpu(p->shared->receive[i].length) & LENGTH_MASK) - FCS;

    if (status & STATUS_ERR || !(status & RECEIVE_STP) || length < ETHERNET_HEADER ||
        length > ETHERNET_MAX) {
        evcnt_incr(&p->interface.counts[NET_IERRORS]);
        return;
    }
    fresh = net_buffer_get();
    if (!fresh) {
        evcnt_incr(&p->interface.counts[NET_NORCVBUF]);
        return;
    }
    p->receiving[i] = fresh;
    buffer->length = length;
    net_interface_input(&p->interface, buffer);
}

void pcnet_receive(struct pcnet *p, unsigned count)
{
    p->silent = p->silent && count == 0;
    for (; count > 0; count--) {
        unsigned i = p->receive_next;
        uint32_t status = pcnet_receive_status_of(p, i);

        if (status & (STATUS_ERR | RECEIVE_ENP))
            receive_one(p, i, status);
        pcnet_receive_give(p, i);
        p->receive_next = (i + 1) % RING;
    }
}

/* The first such MISS may be older than the frames that were taken before it. */
bool pcnet_is_deaf(struct pcnet *p, unsigned received)
{
    bool before = p->silent;

    p->silent = received == 0 && pcnet_receive_status_of(p, p->receive_next) & STATUS_OWN;
    return before && p->silent;
}
