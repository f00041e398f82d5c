/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What joins the protocols: the soft interrupt in which received frames are dealt with, the
 * counters of each protocol, and the loopback interface.
 */
#pragma once

#include <stddef.h>
#include <sys/evcnt.h>

/* A protocol's counters; the names are sentences' ends: "12 packets received". */
struct net_protocol {
    const char *name;
    struct evcnt *counts;
    size_t count;
};

#define NET_PROTOCOLS 4
extern const struct net_protocol *const net_protocols[NET_PROTOCOLS];

/* A counter of PROTOCOL, for the initializers of such tables. */
#define NET_COUNTER(protocol, text) EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, protocol, text)

/* Everything but devices, once: 0 or -ENOMEM. From a late function. */
int net_stack_boot(void);
/* Frames wait, or the ARP cache wants to be looked at. Any context. */
void net_stack_schedule(void);
