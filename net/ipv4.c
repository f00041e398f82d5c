/* SPDX-License-Identifier: BSD-2-Clause */
/* IPv4: see ipv4.h. */
#include "net/ipv4.h"
#include "kernel/base/law.h"
#include "lib/errno.h"
#include "net/arp.h"
#include "net/icmp.h"
#include "net/loopback.h"
#include "net/udp.h"

#define ALL_ONES  0xffffffffu
#define MULTICAST 0xe0000000u /* and the highest four bits of a mask for it */
#define CLASS     0xf0000000u
#define NET_THIS  0u   /* the highest eight bits: this host on this net */
#define NET_LOOP  127u /* what never leaves a host */

enum {
    RECEIVED,
    BAD_SHORT,
    BAD_VERSION,
    BAD_HEADER,
    BAD_LENGTH,
    BAD_CHECKSUM,
    FRAGMENTS,
    NOT_OURS,
    BAD_SOURCE,
    OWN_SOURCE,
    FOR_MANY,
    UNKNOWN,
    DELIVERED,
    SENT,
    NO_ROUTE,
    NOT_SENT
};

static struct evcnt counts[] = {
    [RECEIVED] = NET_COUNTER("ip", "packets received"),
    [BAD_SHORT] = NET_COUNTER("ip", "bad: too short for a header"),
    [BAD_VERSION] = NET_COUNTER("ip", "bad: version is not 4"),
    [BAD_HEADER] = NET_COUNTER("ip", "bad: header length"),
    [BAD_LENGTH] = NET_COUNTER("ip", "bad: total length"),
    [BAD_CHECKSUM] = NET_COUNTER("ip", "bad: header checksum"),
    [FRAGMENTS] = NET_COUNTER("ip", "fragments dropped"),
    [NOT_OURS] = NET_COUNTER("ip", "packets not for this host"),
    [BAD_SOURCE] = NET_COUNTER("ip", "bad: source address"),
    [OWN_SOURCE] = NET_COUNTER("ip", "bad: source is our own address"),
    [FOR_MANY] = NET_COUNTER("ip", "bad: one host's address in a frame for many"),
    [UNKNOWN] = NET_COUNTER("ip", "packets of an unknown protocol"),
    [DELIVERED] = NET_COUNTER("ip", "packets for this host"),
    [SENT] = NET_COUNTER("ip", "packets sent"),
    [NO_ROUTE] = NET_COUNTER("ip", "packets dropped without a route"),
    [NOT_SENT] = NET_COUNTER("ip", "packets dropped by the interface"),
};

const struct net_protocol ipv4_protocol = {"ip", counts, sizeof counts / sizeof counts[0]};

LAW_OF_COUNTERS(ip_in, "ip-in", "received", LAW_SUM(&counts[RECEIVED]),
                "delivered + dropped by reason", &counts[BAD_SHORT], &counts[BAD_VERSION],
                &counts[BAD_HEADER], &counts[BAD_LENGTH], &counts[BAD_CHECKSUM], &counts[FRAGMENTS],
                &counts[NOT_OURS], &counts[BAD_SOURCE], &counts[OWN_SOURCE], &counts[FOR_MANY],
                &counts[UNKNOWN], &counts[DELIVERED]);

static uint64_t ipv4_delivered(void *counters)
{
    return evcnt_value(&((const struct evcnt *)counters)[DELIVERED]);
}

static uint64_t ipv4_taken_above(void *unused)
{
    (void)unused;
    return evcnt_value(&icmp_protocol.counts[0]) + evcnt_value(&udp_protocol.counts[0]);
}

static uint64_t *ipv4_delivered_word(void *counters)
{
    return &((struct evcnt *)counters)[DELIVERED].ev_count;
}

LAW(ip_delivered, .name = "ip-delivered", .about = counts, .left = "delivered",
    .right = "received by icmp + udp", .get_left = ipv4_delivered, .get_right = ipv4_taken_above,
    .word = ipv4_delivered_word);

static const uint8_t fault_counts[] = {
    [WIRE_SHORT] = BAD_SHORT,   [WIRE_VERSION] = BAD_VERSION,   [WIRE_HEADER] = BAD_HEADER,
    [WIRE_LENGTH] = BAD_LENGTH, [WIRE_CHECKSUM] = BAD_CHECKSUM, [WIRE_FRAGMENT] = FRAGMENTS,
};

/* QEMU's user network. */
#define FIRST_ADDRESS 0x0a00020fu
#define FIRST_NETMASK 0xffffff00u
#define FIRST_GATEWAY 0x0a000202u

static volatile uint32_t gateway;

uint32_t ipv4_gateway(void)
{
    return gateway;
}

void ipv4_set_gateway(uint32_t address)
{
    gateway = address;
}

void ipv4_first_card(struct net_interface *interface)
{
    static bool given; /* under late_start's mutex */

    if (given)
        return;
    given = true;
    interface->address = FIRST_ADDRESS;
    interface->netmask = FIRST_NETMASK;
    gateway = FIRST_GATEWAY;
}

static bool ipv4_is_local(const struct net_interface *interface, uint32_t address)
{
    uint32_t mask = interface->netmask;

    return interface->address && interface->up && ((address ^ interface->address) & mask) == 0;
}

bool ipv4_is_ours(uint32_t address)
{
    struct net_interface *interface = NULL;

    while (address && (interface = net_interface_next(interface)))
        if (interface->address == address ||
            (interface->loopback && ipv4_is_local(interface, address)))
            return true;
    return false;
}

bool ipv4_is_broadcast(uint32_t address)
{
    struct net_interface *interface = NULL;

    if (address == ALL_ONES || (address & CLASS) == MULTICAST)
        return true;
    while ((interface = net_interface_next(interface)))
        if (ipv4_is_local(interface, address) && (address | interface->netmask) == ALL_ONES &&
            interface->netmask < ALL_ONES - 1)
            return true;
    return false;
}

/* Whether ADDRESS is the first or the last of a net of ours: that of the net itself, which old
 * hosts take for its broadcast, and its broadcast. Nets of one or two addresses have neither. */
static bool ipv4_is_edge(const struct net_interface *interface, uint32_t address)
{
    uint32_t mask = interface->netmask;

    return ipv4_is_local(interface, address) && mask < ALL_ONES - 1 &&
           ((address & ~mask) == 0 || (address | mask) == ALL_ONES);
}

bool ipv4_is_host(const struct net_interface *from, uint32_t address)
{
    const struct net_interface *interface = NULL;

    if (address >> 24 == NET_THIS || address >= MULTICAST ||
        (address >> 24 == NET_LOOP && !from->loopback) || ipv4_is_edge(from, address))
        return false;
    while ((interface = net_interface_next(interface)))
        if (ipv4_is_edge(interface, address))
            return false;
    return true;
}

/* The interface for DESTINATION, and who is next on the way; NULL if there is none. */
static struct net_interface *ipv4_route(uint32_t destination, uint32_t *next)
{
    struct net_interface *interface = NULL;

    *next = destination;
    if (ipv4_is_ours(destination))
        return loopback();
    while ((interface = net_interface_next(interface)))
        if (ipv4_is_local(interface, destination))
            return interface;
    *next = gateway;
    while (gateway && (interface = net_interface_next(interface)))
        if (ipv4_is_local(interface, *next) && !interface->loopback)
            return interface;
    return NULL;
}

/* To one of our own addresses a packet comes from that address. */
uint32_t ipv4_source(uint32_t destination)
{
    uint32_t next;
    struct net_interface *interface = ipv4_route(destination, &next);

    if (!interface)
        return 0;
    return interface->loopback ? destination : interface->address;
}

static int ipv4_send(struct net_interface *interface, struct net_buffer *buffer, uint32_t next)
{
    static const uint8_t everybody[ETHERNET_ADDRESS] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

    if (interface->loopback)
        return net_interface_output(interface, buffer, interface->mac, ETHERTYPE_IPV4);
    if (ipv4_is_broadcast(next))
        return net_interface_output(interface, buffer, everybody, ETHERTYPE_IPV4);
    return arp_output(interface, buffer, next);
}

int ipv4_output(struct net_buffer *buffer, uint8_t protocol, uint32_t source, uint32_t destination,
                size_t length)
{
    static volatile uint16_t last_id; /* of packets that are never cut up: may repeat (RFC 6864) */
    struct wire_ipv4 ip = {.source = source,
                           .destination = destination,
                           .id = ++last_id,
                           .protocol = protocol,
                           .ttl = IPV4_TTL,
                           .payload = (uint16_t)length};
    uint32_t next;
    struct net_interface *interface = ipv4_route(destination, &next);
    int error;

    if (!interface || !source) {
        evcnt_incr(&counts[NO_ROUTE]);
        net_buffer_put(buffer);
        return -ENETUNREACH;
    }
    wire_write_ipv4(buffer->frame + IPV4_OFFSET, &ip);
    buffer->length = (uint32_t)(IPV4_PAYLOAD + length);
    evcnt_incr(&counts[SENT]);
    error = ipv4_send(interface, buffer, next);
    if (error != 0)
        evcnt_incr(&counts[NOT_SENT]);
    return error;
}

static bool ipv4_for_us(const struct net_buffer *buffer)
{
    uint32_t to = buffer->ip.destination;

    if (to >> 24 == NET_LOOP && !buffer->interface->loopback)
        return false;
    return ipv4_is_ours(to) || ipv4_is_broadcast(to);
}

/* Where a sound packet goes, by its addresses (RFC 1122, 3.2.1.3 and 3.3.6). Ours come by the
 * loopback only. */
static int ipv4_judge(const struct net_buffer *buffer)
{
    const struct net_interface *interface = buffer->interface;
    const struct wire_ipv4 *ip = &buffer->ip;

    if (!ipv4_is_host(interface, ip->source))
        return BAD_SOURCE;
    if (!interface->loopback && ipv4_is_ours(ip->source))
        return OWN_SOURCE;
    if (!ipv4_for_us(buffer))
        return NOT_OURS;
    if (wire_is_for_many(buffer->frame) && !ipv4_is_broadcast(ip->destination))
        return FOR_MANY;
    return ip->protocol == IP_ICMP || ip->protocol == IP_UDP ? DELIVERED : UNKNOWN;
}

void ipv4_input(struct net_buffer *buffer)
{
    struct wire_ipv4 *ip = &buffer->ip;
    enum wire_fault fault =
        wire_read_ipv4(buffer->frame + IPV4_OFFSET, buffer->length - IPV4_OFFSET, ip);
    int verdict = fault == WIRE_GOOD ? ipv4_judge(buffer) : fault_counts[fault];

    evcnt_incr(&counts[RECEIVED]);
    evcnt_incr(&counts[verdict]);
    if (verdict != DELIVERED)
        net_buffer_put(buffer);
    else if (ip->protocol == IP_ICMP)
        icmp_input(buffer);
    else
        udp_input(buffer);
}
