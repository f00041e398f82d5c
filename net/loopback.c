/* SPDX-License-Identifier: BSD-2-Clause */
/* The loopback interface: see loopback.h. */
#include "net/loopback.h"
#include "lib/section.h"

static int loopback_transmit(struct net_interface *interface, struct net_buffer *buffer)
{
    net_interface_sent(interface, buffer->frame, buffer->length);
    net_interface_input(interface, buffer);
    return 0;
}

static SHARED_DATA struct net_interface lo = {
    .name = "lo0",
    .loopback = true,
    .transmit = loopback_transmit,
    .address = 127u << 24 | 1,
    .netmask = 0xff000000,
    .up = true,
};

int loopback_attach(void)
{
    return net_interface_attach(&lo);
}

struct net_interface *loopback(void)
{
    return &lo;
}
