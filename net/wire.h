/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets as bytes: reading, checking and writing the headers of Ethernet, ARP (RFC 826), IPv4 (RFC
 * 791), ICMP (RFC 792) and UDP (RFC 768). Pure functions over memory, for the kernel and for tests.
 * Addresses are numbers in the CPU's order: 10.0.2.15 is 0x0a00020f.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ETHERNET_ADDRESS 6
#define ETHERNET_HEADER  14
#define ETHERNET_MTU     1500
#define ETHERNET_MIN     60 /* without the FCS */
#define ETHERNET_MAX     (ETHERNET_HEADER + ETHERNET_MTU)
#define ETHERTYPE_IPV4   0x0800
#define ETHERTYPE_ARP    0x0806

#define ARP_BYTES   28
#define ARP_REQUEST 1
#define ARP_REPLY   2

#define IPV4_HEADER  20 /* without options, as we write it */
#define IPV4_OFFSET  ETHERNET_HEADER
#define IPV4_PAYLOAD (IPV4_OFFSET + IPV4_HEADER)
#define IPV4_ROOM    (ETHERNET_MTU - IPV4_HEADER)
#define IP_ICMP      1
#define IP_UDP       17

#define ICMP_HEADER           8
#define ICMP_ECHO_REPLY       0
#define ICMP_UNREACHABLE      3
#define ICMP_UNREACHABLE_PORT 3
#define ICMP_ECHO             8

#define UDP_HEADER 8
#define UDP_ROOM   (IPV4_ROOM - UDP_HEADER)

/* Whether the frame goes to several, or all. */
static inline bool wire_is_for_many(const uint8_t *frame)
{
    return frame[0] & 1;
}

static inline uint16_t wire_get16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t wire_get32(const uint8_t *p)
{
    return (uint32_t)wire_get16(p) << 16 | wire_get16(p + 2);
}

static inline void wire_put16(uint8_t *p, uint16_t value)
{
    p[0] = (uint8_t)(value >> 8);
    p[1] = (uint8_t)value;
}

static inline void wire_put32(uint8_t *p, uint32_t value)
{
    wire_put16(p, (uint16_t)(value >> 16));
    wire_put16(p + 2, (uint16_t)value);
}

/* What is wrong with a packet. */
enum wire_fault {
    WIRE_GOOD,
    WIRE_SHORT,    /* fewer bytes than its header has */
    WIRE_VERSION,  /* not IPv4; an ARP packet of other kinds of addresses */
    WIRE_HEADER,   /* a header length below the least, or beyond the packet */
    WIRE_LENGTH,   /* a length that contradicts the bytes that came */
    WIRE_CHECKSUM, /* the sum is wrong */
    WIRE_FRAGMENT, /* a part of a packet (IPv4) */
};

/* The sum of RFC 1071 over LENGTH bytes, continuing SUM (0 begins); FOLD gives what is put into a
 * header. Only the last piece may have an odd length. */
uint32_t wire_sum(uint32_t sum, const uint8_t *bytes, size_t length);
uint16_t wire_fold(uint32_t sum);

struct wire_arp {
    uint16_t operation;
    uint8_t sender_mac[ETHERNET_ADDRESS], target_mac[ETHERNET_ADDRESS];
    uint32_t sender, target;
};

/* Of ARP over Ethernet for IPv4; P has LENGTH bytes. */
enum wire_fault wire_read_arp(const uint8_t *p, size_t length, struct wire_arp *out);
void wire_write_arp(uint8_t *p, const struct wire_arp *arp); /* ARP_BYTES of them */

struct wire_ipv4 {
    uint32_t source, destination;
    uint16_t id;
    uint8_t protocol, ttl;
    uint16_t header;  /* bytes, with options */
    uint16_t payload; /* bytes behind the header */
};

/* LENGTH may be more than the packet: short frames are filled up. */
enum wire_fault wire_read_ipv4(const uint8_t *p, size_t length, struct wire_ipv4 *out);
/* IPV4_HEADER bytes; `header` is not looked at. */
void wire_write_ipv4(uint8_t *p, const struct wire_ipv4 *ip);

struct wire_icmp {
    uint8_t type, code;
    uint16_t id, sequence; /* of echoes */
};

enum wire_fault wire_read_icmp(const uint8_t *p, size_t length, struct wire_icmp *out);
/* The header and the sum over all LENGTH bytes, of which those behind the header are there. */
void wire_write_icmp(uint8_t *p, size_t length, const struct wire_icmp *icmp);

struct wire_udp {
    uint16_t source, destination; /* ports */
    uint16_t payload;             /* bytes behind the header */
};

/* IP is the header before it. A sum of 0 says that there is none. */
enum wire_fault wire_read_udp(const uint8_t *p, size_t length, const struct wire_ipv4 *ip,
                              struct wire_udp *out);
/* The payload is behind P's header already. */
void wire_write_udp(uint8_t *p, const struct wire_udp *udp, uint32_t source, uint32_t destination);

/* "10.0.2.15": all of TEXT, four decimal numbers. */
bool wire_parse_address(const char *text, uint32_t *address);
#define WIRE_ADDRESS_TEXT 16
/* The same backwards; returns TEXT, which has WIRE_ADDRESS_TEXT bytes. */
const char *wire_address_text(uint32_t address, char *text);
#define WIRE_MAC_TEXT 18
const char *wire_mac_text(const uint8_t *mac, char *text);
/* Whether MASK is ones, then zeros; and how many ones. */
bool wire_mask_valid(uint32_t mask);
unsigned wire_mask_bits(uint32_t mask);
