/* SPDX-License-Identifier: BSD-2-Clause */
/* UDP: see udp.h. */
#include "net/udp.h"
#include "kernel/base/law.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "net/icmp.h"
#include "net/ipv4.h"

#define FIRST_FREE_PORT 49152u /* RFC 6335: those above are anybody's */
#define UDP_PAYLOAD     (IPV4_PAYLOAD + UDP_HEADER)

enum {
    RECEIVED,
    BAD_SHORT,
    BAD_LENGTH,
    BAD_CHECKSUM,
    NO_CHECKSUM,
    CLOSED,
    CLOSED_BROADCAST,
    FULL,
    DELIVERED,
    SENT
};

static struct evcnt counts[] = {
    [RECEIVED] = NET_COUNTER("udp", "datagrams received"),
    [BAD_SHORT] = NET_COUNTER("udp", "bad: too short for a header"),
    [BAD_LENGTH] = NET_COUNTER("udp", "bad: length"),
    [BAD_CHECKSUM] = NET_COUNTER("udp", "bad: checksum"),
    [NO_CHECKSUM] = NET_COUNTER("udp", "datagrams without a checksum"),
    [CLOSED] = NET_COUNTER("udp", "datagrams dropped: no socket"),
    [CLOSED_BROADCAST] = NET_COUNTER("udp", "broadcast datagrams dropped: no socket"),
    [FULL] = NET_COUNTER("udp", "datagrams dropped: socket full"),
    [DELIVERED] = NET_COUNTER("udp", "datagrams delivered"),
    [SENT] = NET_COUNTER("udp", "datagrams sent"),
};

const struct net_protocol udp_protocol = {"udp", counts, sizeof counts / sizeof counts[0]};

LAW_OF_COUNTERS(udp_in, "udp-in", "received", LAW_SUM(&counts[RECEIVED]),
                "delivered + dropped by reason", &counts[BAD_SHORT], &counts[BAD_LENGTH],
                &counts[BAD_CHECKSUM], &counts[CLOSED], &counts[CLOSED_BROADCAST], &counts[FULL],
                &counts[DELIVERED]);

static LIST_HEAD(, udp_socket) sockets = LIST_HEAD_INITIALIZER(sockets);
static struct spinlock sockets_lock = SPINLOCK_INITIALIZER("UDP sockets");

static struct udp_socket *udp_find(uint16_t port)
{
    struct udp_socket *socket;

    LIST_FOREACH (socket, &sockets, all)
        if (socket->port == port)
            return socket;
    return NULL;
}

static int udp_read_header(const struct net_buffer *buffer, struct wire_udp *udp)
{
    const uint8_t *p = buffer->frame + IPV4_OFFSET + buffer->ip.header;

    switch (wire_read_udp(p, buffer->ip.payload, &buffer->ip, udp)) {
    case WIRE_GOOD:
        if (wire_get16(p + 6) == 0)
            evcnt_incr(&counts[NO_CHECKSUM]);
        return DELIVERED;
    case WIRE_SHORT:
        return BAD_SHORT;
    case WIRE_LENGTH:
        return BAD_LENGTH;
    default:
        return BAD_CHECKSUM;
    }
}

static int udp_deliver(struct net_buffer *buffer, uint16_t port)
{
    uintptr_t state = spinlock_acquire(&sockets_lock);
    struct udp_socket *socket = udp_find(port);
    int verdict = CLOSED;

    if (socket)
        verdict = net_mailbox_put(&socket->received, buffer) == 0 ? DELIVERED : FULL;
    spinlock_release(&sockets_lock, state);
    return verdict;
}

void udp_input(struct net_buffer *buffer)
{
    struct wire_udp udp;
    int verdict;

    evcnt_incr(&counts[RECEIVED]);
    verdict = udp_read_header(buffer, &udp);
    if (verdict == DELIVERED)
        verdict = udp_deliver(buffer, udp.destination);
    if (verdict == DELIVERED) { /* and the buffer is another's */
        evcnt_incr(&counts[DELIVERED]);
        return;
    }
    if (verdict == CLOSED && ipv4_is_broadcast(buffer->ip.destination))
        verdict = CLOSED_BROADCAST;
    evcnt_incr(&counts[verdict]);
    if (verdict == CLOSED)
        icmp_port_unreachable(buffer);
    net_buffer_put(buffer);
}

int udp_bind(struct udp_socket *socket, uint16_t port)
{
    static uint16_t next_free = FIRST_FREE_PORT;
    uintptr_t state;
    int error = 0;

    net_mailbox_init(&socket->received, "UDP socket");
    state = spinlock_acquire(&sockets_lock);
    for (unsigned i = 0; port == 0 && i < 0x10000u - FIRST_FREE_PORT; i++) {
        if (!udp_find(next_free))
            port = next_free;
        next_free = next_free == 0xffff ? FIRST_FREE_PORT : (uint16_t)(next_free + 1);
    }
    if (port == 0 || udp_find(port)) {
        error = -EADDRINUSE;
    } else {
        socket->port = port;
        LIST_INSERT_HEAD(&sockets, socket, all);
    }
    spinlock_release(&sockets_lock, state);
    return error;
}

void udp_close(struct udp_socket *socket)
{
    uintptr_t state = spinlock_acquire(&sockets_lock);

    LIST_REMOVE(socket, all);
    spinlock_release(&sockets_lock, state);
    net_mailbox_empty(&socket->received);
}

int udp_send_to(struct udp_socket *socket, const struct udp_peer *to, const void *data,
                size_t length)
{
    struct wire_udp udp = {socket->port, to->port, (uint16_t)length};
    uint32_t source = ipv4_source(to->address);
    struct net_buffer *buffer;

    if (length > UDP_ROOM)
        return -EMSGSIZE;
    if (!(buffer = net_buffer_get()))
        return -ENOBUFS;
    memcpy(buffer->frame + UDP_PAYLOAD, data, length);
    wire_write_udp(buffer->frame + IPV4_PAYLOAD, &udp, source, to->address);
    evcnt_incr(&counts[SENT]);
    return ipv4_output(buffer, IP_UDP, source, to->address, UDP_HEADER + length);
}

int udp_receive_from(struct udp_socket *socket, struct udp_peer *from, void *data, size_t size,
                     uint64_t deadline)
{
    struct net_buffer *buffer;
    int error = net_mailbox_get(&socket->received, deadline, &buffer);
    const uint8_t *p;
    size_t length;

    if (error != 0)
        return error;
    p = buffer->frame + IPV4_OFFSET + buffer->ip.header;
    length = wire_get16(p + 4) - UDP_HEADER;
    *from = (struct udp_peer){buffer->ip.source, wire_get16(p),
                              ipv4_is_broadcast(buffer->ip.destination)};
    memcpy(data, p + UDP_HEADER, length < size ? length : size);
    net_buffer_put(buffer);
    return (int)length;
}

static uint64_t udp_waiting_bytes(struct udp_socket *socket)
{
    uintptr_t state = spinlock_acquire(&socket->received.lock);
    uint64_t bytes = 0;

    for (const struct net_buffer *b = socket->received.queue.first; b; b = b->next)
        bytes += wire_get16(b->frame + IPV4_OFFSET + b->ip.header + 4) - UDP_HEADER;
    spinlock_release(&socket->received.lock, state);
    return bytes;
}

unsigned udp_list(struct udp_open *out, unsigned max)
{
    uintptr_t state = spinlock_acquire(&sockets_lock);
    struct udp_socket *socket;
    unsigned number = 0;

    LIST_FOREACH (socket, &sockets, all) {
        if (number < max)
            out[number] = (struct udp_open){socket->port, udp_waiting_bytes(socket)};
        number++;
    }
    spinlock_release(&sockets_lock, state);
    return number;
}
