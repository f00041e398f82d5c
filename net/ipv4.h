/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IPv4 (RFC 791) for a host: it forwards nothing, takes no fragments and sends none. A packet goes
 * to the interface whose network it is for, else to the gateway.
 */
#pragma once

#include "net/interface.h"
#include "net/stack.h"

#define IPV4_TTL 64 /* of every packet that is sent */

extern const struct net_protocol ipv4_protocol;

void ipv4_input(struct net_buffer *buffer);
/*
 * Sends a packet whose LENGTH bytes of payload lie at IPV4_PAYLOAD in BUFFER, which it takes.
 * SOURCE as ipv4_source says. 0, -ENETUNREACH, or as net_interface_output.
 */
int ipv4_output(struct net_buffer *buffer, uint8_t protocol, uint32_t source, uint32_t destination,
                size_t length);
/* The address that packets to DESTINATION come from; 0 if there is no way there. */
uint32_t ipv4_source(uint32_t destination);
/* Whether it is one of ours; and whether it is one that all or many listen to. */
bool ipv4_is_ours(uint32_t address);
bool ipv4_is_broadcast(uint32_t address);
/* Whether a single host may have it, as seen from INTERFACE: none of 0.0.0.0/8, 127.0.0.0/8 (but by
 * the loopback), multicast, class E, and no net's own address or broadcast. */
bool ipv4_is_host(const struct net_interface *interface, uint32_t address);

/* Where packets to other networks go; 0: nowhere. */
uint32_t ipv4_gateway(void);
void ipv4_set_gateway(uint32_t address);
/* The first card, once, gets the address and the gateway that QEMU's user network expects. Thread
 * context. */
void ipv4_first_card(struct net_interface *interface);
