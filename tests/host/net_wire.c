/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of net/wire: headers against packets written down by hand, and what must be refused. */
#include "tests/host/test.h"

#include <stdlib.h>
#include <string.h>

/* The code under test. */
#include "net/wire.c"

/* RFC 1071, section 3: 0001 f203 f4f5 f6f7 sum to ddf2. */
TEST(wire_sum_of_the_rfc)
{
    static const uint8_t bytes[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};

    CHECK_EQUAL(wire_fold(wire_sum(0, bytes, 8)), 0xffff & ~0xddf2);
    CHECK_EQUAL(wire_fold(wire_sum(wire_sum(0, bytes, 4), bytes + 4, 4)), 0xffff & ~0xddf2);
    CHECK_EQUAL(wire_fold(wire_sum(0, bytes, 3)), 0xffff & ~(0x0001 + 0xf200));
    CHECK_EQUAL(wire_fold(0), 0xffff);
}

/* The header that RFC 791's readers know: 45 00 00 73 ... with the sum b861. */
static const uint8_t header[] = {0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11,
                                 0xb8, 0x61, 0xc0, 0xa8, 0x00, 0x01, 0xc0, 0xa8, 0x00, 0xc7};

TEST(wire_ipv4)
{
    uint8_t packet[0x73] = {0}, written[IPV4_HEADER];
    struct wire_ipv4 ip;

    memcpy(packet, header, sizeof header);
    CHECK_EQUAL(wire_read_ipv4(packet, sizeof packet, &ip), WIRE_GOOD);
    CHECK_EQUAL(ip.source, 0xc0a80001);
    CHECK_EQUAL(ip.destination, 0xc0a800c7);
    CHECK_EQUAL(ip.protocol, IP_UDP);
    CHECK_EQUAL(ip.ttl, 64);
    CHECK_EQUAL(ip.payload, 0x73 - 20);
    CHECK_EQUAL(ip.header, 20);
    wire_write_ipv4(written, &ip);
    CHECK(memcmp(written, header, sizeof header) == 0);
    CHECK_EQUAL(wire_read_ipv4(packet, sizeof packet - 1, &ip), WIRE_LENGTH);
    CHECK_EQUAL(wire_read_ipv4(packet, 19, &ip), WIRE_SHORT);
    CHECK_EQUAL(wire_read_ipv4(packet, 0, &ip), WIRE_SHORT);
}

/* HEADER with byte AT changed to VALUE and, where SUM, the sum put right. */
static enum wire_fault changed(size_t at, uint8_t value, bool sum)
{
    uint8_t packet[0x73] = {0};
    struct wire_ipv4 ip;

    memcpy(packet, header, sizeof header);
    packet[at] = value;
    if (sum) {
        wire_put16(packet + 10, 0);
        wire_put16(packet + 10, wire_fold(wire_sum(0, packet, (packet[0] & 15) * 4u)));
    }
    return wire_read_ipv4(packet, sizeof packet, &ip);
}

TEST(wire_ipv4_faults)
{
    CHECK_EQUAL(changed(0, 0x65, true), WIRE_VERSION);
    CHECK_EQUAL(changed(0, 0x44, true), WIRE_HEADER);
    CHECK_EQUAL(changed(0, 0x4f, true), WIRE_GOOD);
    CHECK_EQUAL(changed(8, 63, false), WIRE_CHECKSUM);
    CHECK_EQUAL(changed(3, 0x74, true), WIRE_LENGTH);
    CHECK_EQUAL(changed(3, 19, true), WIRE_LENGTH);
    CHECK_EQUAL(changed(6, 0x20, true), WIRE_FRAGMENT);
    CHECK_EQUAL(changed(7, 1, true), WIRE_FRAGMENT);
    CHECK_EQUAL(changed(6, 0, true), WIRE_GOOD);
}

/* Any single wrong byte of a header is noticed. */
TEST(wire_ipv4_every_byte_counts)
{
    for (size_t at = 0; at < sizeof header; at++)
        for (unsigned bit = 0; bit < 8; bit++)
            CHECK(changed(at, (uint8_t)(header[at] ^ 1u << bit), false) != WIRE_GOOD);
}

TEST(wire_arp)
{
    struct wire_arp arp = {.operation = ARP_REPLY, .sender = 0x0a00020f, .target = 0x0a000202}, out;
    uint8_t packet[ARP_BYTES];

    memcpy(arp.sender_mac, "\x52\x54\x00\x12\x34\x56", 6);
    memcpy(arp.target_mac, "\x52\x55\x0a\x00\x02\x02", 6);
    wire_write_arp(packet, &arp);
    CHECK(memcmp(packet,
                 "\x00\x01\x08\x00\x06\x04\x00\x02\x52\x54\x00\x12\x34\x56\x0a\x00\x02\x0f"
                 "\x52\x55\x0a\x00\x02\x02\x0a\x00\x02\x02",
                 sizeof packet) == 0);
    CHECK_EQUAL(wire_read_arp(packet, sizeof packet, &out), WIRE_GOOD);
    CHECK_EQUAL(out.operation, ARP_REPLY);
    CHECK_EQUAL(out.sender, arp.sender);
    CHECK_EQUAL(out.target, arp.target);
    CHECK(memcmp(out.sender_mac, arp.sender_mac, 6) == 0);
    CHECK(memcmp(out.target_mac, arp.target_mac, 6) == 0);
    CHECK_EQUAL(wire_read_arp(packet, sizeof packet - 1, &out), WIRE_SHORT);
    for (size_t at = 0; at < 6; at++) {
        packet[at] ^= 1;
        CHECK_EQUAL(wire_read_arp(packet, sizeof packet, &out), WIRE_VERSION);
        packet[at] ^= 1;
    }
}

TEST(wire_icmp)
{
    struct wire_icmp icmp = {ICMP_ECHO, 0, 0x1234, 7}, out = {0};
    uint8_t packet[ICMP_HEADER + 3] = {0, 0, 0, 0, 0, 0, 0, 0, 'a', 'b', 'c'};

    for (size_t length = ICMP_HEADER; length <= sizeof packet; length++) {
        wire_write_icmp(packet, length, &icmp);
        CHECK_EQUAL(wire_read_icmp(packet, length, &out), WIRE_GOOD);
        CHECK_EQUAL(out.id, 0x1234);
        CHECK_EQUAL(out.sequence, 7);
        packet[length - 1] ^= 0x10;
        CHECK_EQUAL(wire_read_icmp(packet, length, &out), WIRE_CHECKSUM);
        packet[length - 1] ^= 0x10;
    }
    CHECK_EQUAL(wire_read_icmp(packet, ICMP_HEADER - 1, &out), WIRE_SHORT);
}

TEST(wire_udp)
{
    struct wire_ipv4 ip = {.source = 0x0a00020f, .destination = 0x0a000202};
    struct wire_udp udp = {7, 50000, 5}, out;
    uint8_t packet[UDP_HEADER + 6] = "........hello";

    wire_write_udp(packet, &udp, ip.source, ip.destination);
    CHECK_EQUAL(wire_read_udp(packet, UDP_HEADER + 5, &ip, &out), WIRE_GOOD);
    CHECK_EQUAL(wire_read_udp(packet, UDP_HEADER + 6, &ip, &out), WIRE_GOOD);
    CHECK_EQUAL(out.source, 7);
    CHECK_EQUAL(out.destination, 50000);
    CHECK_EQUAL(out.payload, 5);
    CHECK_EQUAL(wire_read_udp(packet, UDP_HEADER + 4, &ip, &out), WIRE_LENGTH);
    CHECK_EQUAL(wire_read_udp(packet, UDP_HEADER - 1, &ip, &out), WIRE_SHORT);
    ip.source ^= 1; /* the addresses are summed too */
    CHECK_EQUAL(wire_read_udp(packet, UDP_HEADER + 5, &ip, &out), WIRE_CHECKSUM);
    ip.source ^= 1;
    packet[9] ^= 1;
    CHECK_EQUAL(wire_read_udp(packet, UDP_HEADER + 5, &ip, &out), WIRE_CHECKSUM);
    wire_put16(packet + 6, 0); /* no sum at all */
    CHECK_EQUAL(wire_read_udp(packet, UDP_HEADER + 5, &ip, &out), WIRE_GOOD);
    wire_put16(packet + 4, UDP_HEADER - 1);
    CHECK_EQUAL(wire_read_udp(packet, UDP_HEADER + 5, &ip, &out), WIRE_LENGTH);
}

/* A sum that comes to 0 is sent as ffff, because 0 means that there is none. */
TEST(wire_udp_sum_is_never_zero)
{
    struct wire_ipv4 ip = {.source = 1, .destination = 2};
    struct wire_udp udp = {1, 1, 2}, out;
    uint8_t packet[UDP_HEADER + 2];
    unsigned found = 0;

    for (unsigned value = 0; value < 0x10000; value++) {
        wire_put16(packet + UDP_HEADER, (uint16_t)value);
        wire_write_udp(packet, &udp, ip.source, ip.destination);
        CHECK(wire_get16(packet + 6) != 0);
        found += wire_get16(packet + 6) == 0xffff;
        CHECK_EQUAL(wire_read_udp(packet, sizeof packet, &ip, &out), WIRE_GOOD);
    }
    CHECK(found > 0);
}

/* Nothing is read beyond the end: each packet lies in memory of exactly its size. */
TEST(wire_reads_no_further)
{
    unsigned seed = 5;

    for (unsigned round = 0; round < 20000; round++) {
        size_t length = (size_t)rand_r(&seed) % 80;
        uint8_t *packet = malloc(length ? length : 1);
        struct wire_ipv4 ip = {.source = 0};
        struct wire_arp arp;
        struct wire_icmp icmp;
        struct wire_udp udp;

        for (size_t i = 0; i < length; i++)
            packet[i] = (uint8_t)rand_r(&seed);
        if (length > 20 && round % 2) {
            packet[0] = 0x45;
            wire_put16(packet + 10, 0);
            wire_put16(packet + 10, wire_fold(wire_sum(0, packet, 20)));
        }
        if (wire_read_ipv4(packet, length, &ip) == WIRE_GOOD)
            CHECK((size_t)ip.header + ip.payload <= length);
        if (wire_read_udp(packet, length, &ip, &udp) == WIRE_GOOD)
            CHECK((size_t)udp.payload + UDP_HEADER <= length);
        wire_read_arp(packet, length, &arp);
        wire_read_icmp(packet, length, &icmp);
        free(packet);
    }
}

TEST(wire_addresses)
{
    static const char *const bad[] = {
        "",        "1",        "1.2.3",    "1.2.3.",   "1.2.3.4.",    "1.2.3.256", "1..3.4",
        "a.2.3.4", "1.2.3.4 ", " 1.2.3.4", "1.2.3.-4", "01234.1.1.1", "1.2.3.4.5", "0x1.2.3.4"};
    char text[WIRE_ADDRESS_TEXT];
    uint32_t address;

    CHECK(wire_parse_address("10.0.2.15", &address) && address == 0x0a00020f);
    CHECK(wire_parse_address("255.255.255.255", &address) && address == 0xffffffff);
    CHECK(wire_parse_address("0.0.0.0", &address) && address == 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK(!wire_parse_address(bad[i], &address));
    CHECK_TEXT(wire_address_text(0xfffefdfc, text), "255.254.253.252");
    CHECK(wire_mask_valid(0) && wire_mask_valid(0xffffffff) && wire_mask_valid(0xfffff000));
    CHECK(!wire_mask_valid(0xff00ff00) && !wire_mask_valid(1));
    CHECK_EQUAL(wire_mask_bits(0xfffffff0), 28);
    CHECK_EQUAL(wire_mask_bits(0), 0);
    CHECK_EQUAL(wire_mask_bits(0xffffffff), 32);
}
