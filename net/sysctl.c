/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sysctl: net.inet.*. What a protocol counted is an array of numbers, in the order of its lines in
 * `netstat -s`; what Quipu does not do at all (forwarding, fragments) says so by its value.
 */
#include "kernel/export/sysctl.h"
#include "lib/format.h"
#include "net/icmp.h"
#include "net/ipv4.h"
#include "net/stack.h"
#include "net/udp.h"

static int sysctl_out_counts(struct sysctl_request *request, const struct net_protocol *protocol)
{
    for (size_t i = 0; i < protocol->count; i++)
        sysctl_out_long(request, evcnt_value(&protocol->counts[i]));
    return 0;
}

#define STATS(ident, node, protocol)                                                               \
    static int sysctl_read_##ident(struct sysctl_request *request)                                 \
    {                                                                                              \
        return sysctl_out_counts(request, &protocol);                                              \
    }                                                                                              \
    SYSCTL(ident, .name = node, .type = SYSCTL_LONG, .access = sysctl_read_##ident,                \
           .summary = "its counts, in the order of netstat -s")

STATS(ip_stats, "net.inet.ip.stats", ipv4_protocol);
STATS(icmp_stats, "net.inet.icmp.stats", icmp_protocol);
STATS(udp_stats, "net.inet.udp.stats", udp_protocol);

#define CONSTANT(ident, node, value, about)                                                        \
    static int sysctl_read_##ident(struct sysctl_request *request)                                 \
    {                                                                                              \
        return sysctl_out_int(request, value);                                                     \
    }                                                                                              \
    SYSCTL(ident, .name = node, .type = SYSCTL_INT, .access = sysctl_read_##ident, .summary = about)

CONSTANT(ip_ttl, "net.inet.ip.ttl", IPV4_TTL, "time to live of packets sent");
CONSTANT(ip_forwarding, "net.inet.ip.forwarding", 0, "packets for others are dropped");
CONSTANT(ip_redirect, "net.inet.ip.redirect", 0, "no redirects are sent");
CONSTANT(ip_fragments, "net.inet.ip.maxfragpackets", 0, "fragments are dropped");
CONSTANT(icmp_broadcast, "net.inet.icmp.bmcastecho", 0, "broadcast echo requests are not answered");
CONSTANT(udp_checksum, "net.inet.udp.checksum", 1, "datagrams are sent with a checksum");

static int sysctl_read_gateway(struct sysctl_request *request)
{
    uint32_t address = ipv4_gateway();
    char text[16];

    format(text, sizeof text, "%u.%u.%u.%u", address >> 24, address >> 16 & 255, address >> 8 & 255,
           address & 255);
    return sysctl_out_string(request, text);
}
SYSCTL(ip_gateway, .name = "net.inet.ip.gateway", .type = SYSCTL_STRING,
       .access = sysctl_read_gateway,
       .summary = "where packets to other networks go; 0.0.0.0: nowhere");
