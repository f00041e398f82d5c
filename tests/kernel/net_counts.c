/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every counter of IPv4, UDP and ICMP against packets written down here: each moves the counters
 * that are named beside it and no other one. They come by the loopback, and so does what is
 * answered.
 */
#include "tests/kernel/selftest.h"
#include "kernel/time/clock.h"
#include "kernel/cpu/preempt.h"
#include "kernel/thread/thread.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "net/icmp.h"
#include "net/ipv4.h"
#include "net/loopback.h"
#include "net/udp.h"
#include "tests/kernel/net_moves.h"

#define LO     0x7f000001u
#define OTHER  0xc0000209u /* 192.0.2.9: nobody's (RFC 5737) */
#define EVERY  0xffffffffu
#define CLOSED 9
#define SECOND 1000000000ull

static void expect(const char *protocol, const char *text)
{
    net_moves_expect(protocol, text, 1);
}

/* A packet that its protocol has by the loopback: counted below as well. */
static void expect_ip(const char *protocol, const char *text)
{
    expect("ip", "packets received");
    expect("ip", "packets for this host");
    expect(protocol, strcmp(protocol, "icmp") == 0 ? "messages received" : "datagrams received");
    expect(protocol, text);
}

/* One that we send, by the loopback: the same, and sent. */
static void expect_sent(const char *protocol, const char *text)
{
    expect("ip", "packets sent");
    expect_ip(protocol, text);
}

static uint8_t *body_of(struct net_buffer *buffer)
{
    return buffer->frame + IPV4_PAYLOAD;
}

static void write_ip(struct net_buffer *buffer, uint8_t protocol, uint32_t from, uint32_t to,
                     size_t payload)
{
    struct wire_ipv4 ip = {.source = from,
                           .destination = to,
                           .protocol = protocol,
                           .ttl = 1,
                           .payload = (uint16_t)payload};

    wire_write_ipv4(buffer->frame + IPV4_OFFSET, &ip);
    buffer->length = (uint32_t)(IPV4_PAYLOAD + payload);
}

/* The header's sum again, after it was changed. */
static void sum_ip(struct net_buffer *buffer)
{
    uint8_t *p = buffer->frame + IPV4_OFFSET;

    wire_put16(p + 10, 0);
    wire_put16(p + 10, wire_fold(wire_sum(0, p, IPV4_HEADER)));
}

/* As if the loopback had received it. */
static void give(struct net_buffer *buffer)
{
    wire_put16(buffer->frame + 2 * ETHERNET_ADDRESS, ETHERTYPE_IPV4);
    net_interface_input(loopback(), buffer);
}

static bool give_udp(uint16_t port, uint32_t to)
{
    struct wire_udp udp = {7, port, 3};
    struct net_buffer *buffer = net_moves_packet(loopback(), 0);

    if (!buffer)
        return false;
    wire_write_udp(body_of(buffer), &udp, LO, to);
    write_ip(buffer, IP_UDP, LO, to, UDP_HEADER + 3);
    give(buffer);
    return true;
}

static bool give_icmp(uint8_t type, uint16_t id, uint32_t to)
{
    struct wire_icmp icmp = {type, 0, id, 1};
    struct net_buffer *buffer = net_moves_packet(loopback(), 0);

    if (!buffer)
        return false;
    wire_write_icmp(body_of(buffer), ICMP_HEADER, &icmp);
    write_ip(buffer, IP_ICMP, LO, to, ICMP_HEADER);
    give(buffer);
    return true;
}

/* --- IPv4 --- */

static const char *const faults[] = {"bad: too short", "bad: version",   "bad: header length",
                                     "bad: total",     "bad: header ch", "fragments",
                                     "bad: source",    "packets not",    "packets of an unknown"};

/* Makes a sound packet one that is dropped for reason WHICH of `faults`. */
static void spoil(struct net_buffer *buffer, unsigned which)
{
    uint8_t *p = buffer->frame + IPV4_OFFSET;

    if (which == 0)
        buffer->length = ETHERNET_HEADER + IPV4_HEADER - 1;
    else if (which == 1)
        p[0] = 0x65;
    else if (which == 2)
        p[0] = 0x44;
    else if (which == 3)
        buffer->length--;
    else if (which == 4)
        p[10] ^= 1;
    else if (which == 5)
        p[6] = 0x20; /* more fragments */
    else if (which == 6)
        wire_put32(p + 12, EVERY);
    else if (which == 7)
        wire_put32(p + 16, OTHER);
    else
        p[9] = 99;
    if (which >= 5)
        sum_ip(buffer);
}

static int check_ip(void)
{
    for (unsigned i = 0; i < sizeof faults / sizeof faults[0]; i++)
        for (unsigned n = 0; n <= i; n++) {
            struct net_buffer *buffer = net_moves_packet(loopback(), 0);

            SELFTEST_CHECK(buffer != NULL);
            write_ip(buffer, IP_UDP, LO, LO, 20);
            spoil(buffer, i);
            give(buffer);
            expect("ip", "packets received");
            expect("ip", faults[i]);
        }
    return net_moves_check();
}

SELFTEST(net_counts_ip, "net-counts-ip",
         "a bad IPv4 packet counts under its reason, and only there")
{
    net_moves_begin();
    return check_ip();
}

/* --- UDP --- */

static bool give_bad_udp(unsigned which)
{
    static const uint16_t sizes[] = {UDP_HEADER - 1, UDP_HEADER, UDP_HEADER + 3};
    struct wire_udp udp = {7, CLOSED, 3};
    struct net_buffer *buffer = net_moves_packet(loopback(), 0);

    if (!buffer)
        return false;
    wire_write_udp(body_of(buffer), &udp, LO, LO);
    if (which == 2)
        body_of(buffer)[UDP_HEADER] ^= 1;
    write_ip(buffer, IP_UDP, LO, LO, sizes[which]);
    give(buffer);
    return true;
}

static int bad_udp(void)
{
    static const char *const reasons[] = {"bad: too short", "bad: length", "bad: checksum"};

    for (unsigned i = 0; i < 3; i++)
        for (unsigned n = 0; n <= i; n++) {
            SELFTEST_CHECK(give_bad_udp(i));
            expect_ip("udp", reasons[i]);
        }
    for (unsigned n = 0; n < 4; n++) {
        SELFTEST_CHECK(give_udp(CLOSED, LO));
        expect_ip("udp", "datagrams dropped: no socket");
        expect("icmp", "port unreachable sent");
        expect_sent("icmp", "destination unreachable");
    }
    for (unsigned n = 0; n < 2; n++) {
        SELFTEST_CHECK(give_udp(CLOSED, EVERY));
        expect_ip("udp", "broadcast datagrams dropped");
    }
    return net_moves_check();
}

/* What has no way out, or is not taken. No one else sends meanwhile. */
static int check_sending(void)
{
    struct net_buffer *buffer = net_moves_packet(loopback(), 0);
    int error;

    SELFTEST_CHECK(buffer != NULL);
    SELFTEST_EQUAL(-ipv4_output(buffer, IP_UDP, 0, LO, 0), ENETUNREACH); /* from nobody */
    expect("ip", "packets dropped without");
    SELFTEST_CHECK((buffer = net_moves_packet(loopback(), 0)) != NULL);
    preempt_disable();
    loopback()->up = false;
    error = ipv4_output(buffer, IP_UDP, LO, LO, 0);
    loopback()->up = true;
    preempt_enable();
    SELFTEST_EQUAL(-error, ENETDOWN);
    expect("ip", "packets sent");
    expect("ip", "packets dropped by");
    return net_moves_check();
}

SELFTEST(net_counts_sending, "net-counts-sending", "a packet that cannot go is counted by why")
{
    net_moves_begin();
    return check_sending();
}

static int good_udp(struct udp_socket *socket)
{
    struct udp_peer to = {.address = LO, .port = socket->port};
    struct net_buffer *buffer = net_moves_packet(loopback(), 0);
    struct wire_udp udp = {7, socket->port, 3};

    SELFTEST_CHECK(buffer != NULL);
    wire_write_udp(body_of(buffer), &udp, LO, LO);
    wire_put16(body_of(buffer) + 6, 0);
    write_ip(buffer, IP_UDP, LO, LO, UDP_HEADER + 3);
    give(buffer);
    expect_ip("udp", "datagrams delivered");
    expect("udp", "datagrams without");
    SELFTEST_EQUAL(udp_send_to(socket, &to, "x", 1), 0);
    expect("udp", "datagrams sent");
    expect_sent("udp", "datagrams delivered");
    if (net_moves_check() != 0)
        return 1;
    for (unsigned n = 2; n < MAILBOX_ROOM + 5; n++) {
        SELFTEST_CHECK(give_udp(socket->port, LO));
        expect_ip("udp", n < MAILBOX_ROOM ? "datagrams delivered" : "datagrams dropped: socket");
    }
    return net_moves_check();
}

SELFTEST(net_counts_udp, "net-counts-udp", "a datagram counts by what became of it, once")
{
    struct udp_socket socket;
    int result;

    net_moves_begin();
    result = bad_udp();
    if (result == 0 && udp_bind(&socket, 0) == 0) {
        result = good_udp(&socket);
        udp_close(&socket);
    }
    return result;
}

/* --- ICMP --- */

static bool give_bad_icmp(bool cut)
{
    struct wire_icmp icmp = {ICMP_ECHO, 0, 1, 1};
    struct net_buffer *buffer = net_moves_packet(loopback(), 0);

    if (!buffer)
        return false;
    wire_write_icmp(body_of(buffer), ICMP_HEADER, &icmp);
    body_of(buffer)[7] ^= 1;
    write_ip(buffer, IP_ICMP, LO, LO, cut ? ICMP_HEADER - 1 : ICMP_HEADER);
    give(buffer);
    return true;
}

static int one_by_one(void)
{
    SELFTEST_CHECK(give_bad_icmp(true));
    expect_ip("icmp", "bad: too short");
    for (unsigned n = 0; n < 2; n++) {
        SELFTEST_CHECK(give_bad_icmp(false));
        expect_ip("icmp", "bad: checksum");
    }
    for (unsigned n = 0; n < 3; n++) {
        SELFTEST_CHECK(give_icmp(ICMP_ECHO, 0xffff, LO));
        expect_ip("icmp", "echo requests received");
        expect("icmp", "echo replies sent");
        expect_sent("icmp", "echo replies received");
        expect("icmp", "echo replies that nobody");
    }
    for (unsigned n = 0; n < 4; n++) {
        SELFTEST_CHECK(give_icmp(ICMP_ECHO, 0xffff, EVERY));
        expect_ip("icmp", "echo requests received");
        expect("icmp", "broadcast echo");
    }
    for (unsigned n = 0; n < 5; n++) {
        SELFTEST_CHECK(give_icmp(ICMP_UNREACHABLE, 0, LO));
        expect_ip("icmp", "destination unreachable");
    }
    for (unsigned n = 0; n < 6; n++) {
        SELFTEST_CHECK(give_icmp(13, 0, LO));
        expect_ip("icmp", "messages of another");
    }
    return net_moves_check();
}

static int replies(struct icmp_pinger *pinger)
{
    struct icmp_echo echo;
    uint64_t begin = clock_now();

    SELFTEST_EQUAL(icmp_ping(pinger, LO, 1, 8), 0);
    expect("icmp", "echo requests sent");
    expect_sent("icmp", "echo requests received");
    expect("icmp", "echo replies sent");
    expect_sent("icmp", "echo replies received");
    if (net_moves_check() != 0)
        return 1;
    SELFTEST_EQUAL(icmp_await(pinger, clock_now() + SECOND, &echo), 0);
    SELFTEST_CHECK(begin <= echo.sent && echo.sent <= echo.arrived && echo.arrived <= clock_now());
    for (unsigned n = 0; n < MAILBOX_ROOM + 3; n++) {
        SELFTEST_CHECK(give_icmp(ICMP_ECHO_REPLY, pinger->id, LO));
        expect_ip("icmp", "echo replies received");
        if (n >= MAILBOX_ROOM)
            expect("icmp", "echo replies dropped");
    }
    return net_moves_check();
}

SELFTEST(net_counts_icmp, "net-counts-icmp", "a message counts by its kind and what became of it")
{
    struct icmp_pinger pinger;
    int result;

    net_moves_begin();
    result = one_by_one();
    if (result == 0) {
        icmp_pinger_open(&pinger);
        result = replies(&pinger);
        icmp_pinger_close(&pinger);
    }
    return result;
}
