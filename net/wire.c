/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets as bytes: see wire.h. */
#include "net/wire.h"
#include "lib/format.h"
#include "lib/string.h"

#define ARP_ETHERNET    1
#define VERSION_4       4
#define FRAGMENT_BITS   0x3fff /* more fragments, or an offset */
#define DO_NOT_FRAGMENT 0x4000

uint32_t wire_sum(uint32_t sum, const uint8_t *bytes, size_t length)
{
    uint64_t wide = sum;

    for (; length > 1; bytes += 2, length -= 2)
        wide += wire_get16(bytes);
    if (length)
        wide += (uint32_t)bytes[0] << 8;
    while (wide >> 32)
        wide = (wide & 0xffffffffu) + (wide >> 32);
    return (uint32_t)wide;
}

uint16_t wire_fold(uint32_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

enum wire_fault wire_read_arp(const uint8_t *p, size_t length, struct wire_arp *out)
{
    if (length < ARP_BYTES)
        return WIRE_SHORT;
    if (wire_get16(p) != ARP_ETHERNET || wire_get16(p + 2) != ETHERTYPE_IPV4 ||
        p[4] != ETHERNET_ADDRESS || p[5] != sizeof out->sender)
        return WIRE_VERSION;
    out->operation = wire_get16(p + 6);
    memcpy(out->sender_mac, p + 8, ETHERNET_ADDRESS);
    out->sender = wire_get32(p + 14);
    memcpy(out->target_mac, p + 18, ETHERNET_ADDRESS);
    out->target = wire_get32(p + 24);
    return WIRE_GOOD;
}

void wire_write_arp(uint8_t *p, const struct wire_arp *arp)
{
    wire_put16(p, ARP_ETHERNET);
    wire_put16(p + 2, ETHERTYPE_IPV4);
    p[4] = ETHERNET_ADDRESS;
    p[5] = sizeof arp->sender;
    wire_put16(p + 6, arp->operation);
    memcpy(p + 8, arp->sender_mac, ETHERNET_ADDRESS);
    wire_put32(p + 14, arp->sender);
    memcpy(p + 18, arp->target_mac, ETHERNET_ADDRESS);
    wire_put32(p + 24, arp->target);
}

enum wire_fault wire_read_ipv4(const uint8_t *p, size_t length, struct wire_ipv4 *out)
{
    uint16_t total;

    if (length < IPV4_HEADER)
        return WIRE_SHORT;
    if (p[0] >> 4 != VERSION_4)
        return WIRE_VERSION;
    out->header = (uint16_t)((p[0] & 15) * 4);
    if (out->header < IPV4_HEADER || out->header > length)
        return WIRE_HEADER;
    if (wire_fold(wire_sum(0, p, out->header)) != 0)
        return WIRE_CHECKSUM;
    total = wire_get16(p + 2);
    if (total < out->header || total > length)
        return WIRE_LENGTH;
    if (wire_get16(p + 6) & FRAGMENT_BITS)
        return WIRE_FRAGMENT;
    out->payload = (uint16_t)(total - out->header);
    out->id = wire_get16(p + 4);
    out->ttl = p[8];
    out->protocol = p[9];
    out->source = wire_get32(p + 12);
    out->destination = wire_get32(p + 16);
    return WIRE_GOOD;
}

void wire_write_ipv4(uint8_t *p, const struct wire_ipv4 *ip)
{
    p[0] = VERSION_4 << 4 | IPV4_HEADER / 4;
    p[1] = 0;
    wire_put16(p + 2, (uint16_t)(IPV4_HEADER + ip->payload));
    wire_put16(p + 4, ip->id);
    wire_put16(p + 6, DO_NOT_FRAGMENT);
    p[8] = ip->ttl;
    p[9] = ip->protocol;
    wire_put16(p + 10, 0);
    wire_put32(p + 12, ip->source);
    wire_put32(p + 16, ip->destination);
    wire_put16(p + 10, wire_fold(wire_sum(0, p, IPV4_HEADER)));
}

enum wire_fault wire_read_icmp(const uint8_t *p, size_t length, struct wire_icmp *out)
{
    if (length < ICMP_HEADER)
        return WIRE_SHORT;
    if (wire_fold(wire_sum(0, p, length)) != 0)
        return WIRE_CHECKSUM;
    *out = (struct wire_icmp){p[0], p[1], wire_get16(p + 4), wire_get16(p + 6)};
    return WIRE_GOOD;
}

void wire_write_icmp(uint8_t *p, size_t length, const struct wire_icmp *icmp)
{
    p[0] = icmp->type;
    p[1] = icmp->code;
    wire_put16(p + 2, 0);
    wire_put16(p + 4, icmp->id);
    wire_put16(p + 6, icmp->sequence);
    wire_put16(p + 2, wire_fold(wire_sum(0, p, length)));
}

/* The sum over the pseudo header (RFC 768). */
static uint32_t wire_udp_pseudo(uint32_t source, uint32_t destination, uint16_t length)
{
    return (source >> 16) + (source & 0xffff) + (destination >> 16) + (destination & 0xffff) +
           IP_UDP + length;
}

enum wire_fault wire_read_udp(const uint8_t *p, size_t length, const struct wire_ipv4 *ip,
                              struct wire_udp *out)
{
    uint16_t total;

    if (length < UDP_HEADER)
        return WIRE_SHORT;
    total = wire_get16(p + 4);
    if (total < UDP_HEADER || total > length)
        return WIRE_LENGTH;
    if (wire_get16(p + 6) != 0 &&
        wire_fold(wire_sum(wire_udp_pseudo(ip->source, ip->destination, total), p, total)) != 0)
        return WIRE_CHECKSUM;
    *out = (struct wire_udp){wire_get16(p), wire_get16(p + 2), (uint16_t)(total - UDP_HEADER)};
    return WIRE_GOOD;
}

void wire_write_udp(uint8_t *p, const struct wire_udp *udp, uint32_t source, uint32_t destination)
{
    uint16_t length = (uint16_t)(UDP_HEADER + udp->payload), sum;

    wire_put16(p, udp->source);
    wire_put16(p + 2, udp->destination);
    wire_put16(p + 4, length);
    wire_put16(p + 6, 0);
    sum = wire_fold(wire_sum(wire_udp_pseudo(source, destination, length), p, length));
    wire_put16(p + 6, sum ? sum : 0xffff);
}

bool wire_parse_address(const char *text, uint32_t *address)
{
    uint32_t sum = 0;

    for (unsigned part = 0; part < 4; part++) {
        unsigned value = 0, digits = 0;

        for (; *text >= '0' && *text <= '9' && digits < 4; text++, digits++)
            value = value * 10 + (unsigned)(*text - '0');
        if (digits == 0 || digits > 3 || value > 255 || *text != (part < 3 ? '.' : '\0'))
            return false;
        text += part < 3;
        sum = sum << 8 | value;
    }
    *address = sum;
    return true;
}

const char *wire_address_text(uint32_t a, char *text)
{
    format(text, WIRE_ADDRESS_TEXT, "%u.%u.%u.%u", a >> 24, a >> 16 & 255, a >> 8 & 255, a & 255);
    return text;
}

const char *wire_mac_text(const uint8_t *m, char *text)
{
    format(text, WIRE_MAC_TEXT, "%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3], m[4],
           m[5]);
    return text;
}

bool wire_mask_valid(uint32_t mask)
{
    return (~mask & (~mask + 1)) == 0;
}

unsigned wire_mask_bits(uint32_t mask)
{
    unsigned bits = 0;

    for (; mask & 0x80000000u; mask <<= 1)
        bits++;
    return bits;
}
