/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ARP (RFC 826): which Ethernet address has an IPv4 address of this network. An entry is kept for
 * 20 minutes. A packet for an unknown address waits, the last one only, while a request is sent
 * each second, three in all.
 */
#pragma once

#include <stdbool.h>
#include "net/interface.h"
#include "net/stack.h"

extern const struct net_protocol arp_protocol;

void arp_input(struct net_buffer *buffer);
/* Sends the IPv4 packet in BUFFER, which it takes, to NEXT by INTERFACE, now or when the answer has
 * come. 0 or as net_interface_output. */
int arp_output(struct net_interface *interface, struct net_buffer *buffer, uint32_t next);
/* Repeats requests and forgets what is old. Soft interrupt. */
void arp_run(void);
/* Tells the neighbours of the interface's address, and forgets what was known of them. */
void arp_announce(struct net_interface *interface);

struct arp_info {
    uint32_t address;
    uint8_t mac[ETHERNET_ADDRESS];
    bool complete; /* else an answer is awaited */
    uint64_t left; /* ns until it is forgotten */
    const char *interface;
};

#define ARP_ENTRIES 32
/* Copies up to MAX entries; returns how many there are. */
unsigned arp_snapshot(struct arp_info *out, unsigned max);
