/* SPDX-License-Identifier: BSD-2-Clause */
/* The frames that a PCnet is to send, and what became of them: see pcnet.h. */
#include <arch/memory.h>
#include "drivers/pcnet.h"
#include "lib/endian.h"
#include "lib/errno.h"

int pcnet_send(struct pcnet *p, struct net_buffer *buffer)
{
    unsigned i = p->transmit_next % RING;
    volatile struct descriptor *d = &p->shared->transmit[i];

    if (p->transmit_next - p->transmit_done == RING) {
        evcnt_incr(&p->interface.counts[NET_NOXMTBUF]);
        net_buffer_put(buffer);
        return -ENOBUFS;
    }
    p->sending[i] = buffer;
    p->transmit_next++;
    d->address = cpu_to_le32((uint32_t)memory_physical(buffer->frame));
    d->length = 0;
    pcnet_barrier();
    d->status = cpu_to_le32(STATUS_OWN | TRANSMIT_WHOLE | pcnet_negative(buffer->length));
    pcnet_barrier();
    return 0;
}

static void pcnet_count_sent(struct pcnet *p, const struct net_buffer *buffer, uint32_t status,
                             uint32_t more)
{
    if (status & TRANSMIT_ONE)
        net_interface_add(&p->interface, NET_COLLISIONS, 1);
    if (status & TRANSMIT_MORE)
        net_interface_add(&p->interface, NET_COLLISIONS, more & RETRIES_MASK);
    if (status & STATUS_ERR)
        evcnt_incr(&p->interface.counts[NET_OERRORS]);
    else
        net_interface_sent(&p->interface, buffer->frame, buffer->length);
}

void pcnet_reap(struct pcnet *p)
{
    while (p->transmit_done != p->transmit_next) {
        unsigned i = p->transmit_done % RING;
        volatile struct descriptor *d = &p->shared->transmit[i];
        uint32_t status = le32_to_cpu(d->status);

        if (status & STATUS_OWN)
            break;
        pcnet_barrier();
        pcnet_count_sent(p, p->sending[i], status, le32_to_cpu(d->length));
        net_buffer_put(p->sending[i]);
        p->sending[i] = NULL;
        p->transmit_done++;
    }
}

void pcnet_drop_sending(struct pcnet *p)
{
    for (; p->transmit_done != p->transmit_next; p->transmit_done++) {
        unsigned i = p->transmit_done % RING;

        p->shared->transmit[i].status = 0;
        evcnt_incr(&p->interface.counts[NET_OERRORS]);
        net_buffer_put(p->sending[i]);
        p->sending[i] = NULL;
    }
}

void pcnet_sent(struct pcnet *p, uint16_t causes)
{
    pcnet_reap(p);
    if (causes & CSR0_BABL)
        evcnt_incr(&p->babbles); /* its descriptor says what became of the frame */
}
