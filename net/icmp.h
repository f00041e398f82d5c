/* SPDX-License-Identifier: BSD-2-Clause */
/* ICMP (RFC 792): answers echo requests, says that a UDP port is closed, and sends echo requests
 * for `ping`. */
#pragma once

#include <sys/queue.h>
#include "net/mailbox.h"
#include "net/stack.h"

extern const struct net_protocol icmp_protocol;

void icmp_input(struct net_buffer *buffer);
/* Tells who sent BUFFER, which stays the caller's, that nobody listens at its port. */
void icmp_port_unreachable(const struct net_buffer *buffer);

/* Who sends echo requests; replies with its id come to its mailbox. */
struct icmp_pinger {
    uint16_t id;
    struct net_mailbox replies;
    LIST_ENTRY(icmp_pinger) all;
};

struct icmp_echo {
    uint32_t source;
    uint16_t sequence;
    uint8_t ttl;
    uint64_t arrived; /* clock_now() */
    size_t length;    /* of the ICMP packet */
    bool intact;      /* the payload is what was sent */
    uint64_t sent;    /* what was put into the payload, if there was room */
};

void icmp_pinger_open(struct icmp_pinger *pinger);
void icmp_pinger_close(struct icmp_pinger *pinger);
/* Sends a request with SIZE bytes of payload (at most IPV4_ROOM - ICMP_HEADER), the time of sending
 * first among them. 0, -ENOBUFS, -ENETUNREACH, -ENETDOWN, -EMSGSIZE. */
int icmp_ping(struct icmp_pinger *pinger, uint32_t address, uint16_t sequence, size_t size);
/* The next reply: 0, -ETIMEDOUT, -EINTR. */
int icmp_await(struct icmp_pinger *pinger, uint64_t deadline, struct icmp_echo *out);
