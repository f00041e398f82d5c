/* SPDX-License-Identifier: BSD-2-Clause */
/* UDP (RFC 768) for threads of the kernel: a socket has a port and a mailbox. */
#pragma once

#include <sys/queue.h>
#include "net/mailbox.h"
#include "net/stack.h"

extern const struct net_protocol udp_protocol;

struct udp_socket {
    uint16_t port;
    struct net_mailbox received;
    LIST_ENTRY(udp_socket) all;
};

struct udp_peer {
    uint32_t address;
    uint16_t port;
    bool to_many; /* of who has sent: to a broadcast or multicast address */
};

void udp_input(struct net_buffer *buffer);

/* Opens SOCKET (storage by the caller) at PORT, 0: one that is free. 0, -EADDRINUSE. */
int udp_bind(struct udp_socket *socket, uint16_t port);
void udp_close(struct udp_socket *socket);
/* 0, -EMSGSIZE above UDP_ROOM, -ENOBUFS, -ENETUNREACH, -ENETDOWN. */
int udp_send_to(struct udp_socket *socket, const struct udp_peer *to, const void *data,
                size_t length);
/* Waits until clock_now() reaches DEADLINE. The payload's length, of which up to SIZE bytes are
 * copied; -ETIMEDOUT, -EINTR. */
int udp_receive_from(struct udp_socket *socket, struct udp_peer *from, void *data, size_t size,
                     uint64_t deadline);
struct udp_open {
    uint16_t port;
    uint64_t waiting; /* bytes of data in its mailbox */
};

/* The sockets that are open: copies up to MAX, returns how many there are. */
unsigned udp_list(struct udp_open *out, unsigned max);
