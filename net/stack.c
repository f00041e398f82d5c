/* SPDX-License-Identifier: BSD-2-Clause */
/* The soft interrupt that deals with received frames: see stack.h. */
#include "net/stack.h"
#include "kernel/device/late.h"
#include "kernel/base/log.h"
#include "kernel/interrupt/softint.h"
#include "lib/errno.h"
#include "lib/section.h"
#include "net/arp.h"
#include "net/icmp.h"
#include "net/interface.h"
#include "net/ipv4.h"
#include "net/loopback.h"
#include "net/udp.h"

#define BATCH 32 /* frames in one delivery; then other soft interrupts have their turn */

const struct net_protocol *const net_protocols[NET_PROTOCOLS] = {&arp_protocol, &ipv4_protocol,
                                                                 &icmp_protocol, &udp_protocol};

static SHARED_BSS struct softint softnet;

static void stack_deliver(struct net_buffer *buffer)
{
    switch (wire_get16(buffer->frame + 2 * ETHERNET_ADDRESS)) {
    case ETHERTYPE_ARP:
        arp_input(buffer);
        break;
    case ETHERTYPE_IPV4:
        ipv4_input(buffer);
        break;
    default:
        evcnt_incr(&buffer->interface->counts[NET_UNKNOWN]);
        net_buffer_put(buffer);
    }
}

static void stack_run(void *unused)
{
    struct net_buffer *buffer;

    (void)unused;
    arp_run();
    for (unsigned i = 0; i < BATCH; i++) {
        if (!(buffer = net_interface_take()))
            return;
        stack_deliver(buffer);
    }
    softint_schedule(&softnet);
}

void net_stack_schedule(void)
{
    softint_schedule(&softnet);
}

int net_stack_boot(void)
{
    static bool done;

    if (done)
        return 0;
    if (net_buffer_boot() != 0)
        return -ENOMEM;
    done = true;
    for (unsigned i = 0; i < NET_PROTOCOLS; i++)
        for (size_t n = 0; n < net_protocols[i]->count; n++)
            evcnt_attach_static(&net_protocols[i]->counts[n]);
    softint_establish(&softnet, IPL_SOFTNET, stack_run, NULL, "net");
    return loopback_attach();
}

static void stack_net_start(void)
{
    if (net_stack_boot() != 0)
        log_printf("net: no memory");
}
LATE(1, stack_net_start);
