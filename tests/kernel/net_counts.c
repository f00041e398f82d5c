/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every counter of the protocols against packets written down here: each moves the counters that
 * are named beside it and no other one. IPv4's come by the loopback, and so does what is answered;
 * ARP's by a card of the tests' own, and are taken out of the counters in the end, for it is none
 * of the interfaces.
 */
#include "kernel/clock.h"
#include "kernel/late.h"
#include "kernel/selftest.h"
#include "kernel/thread.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "net/arp.h"
#include "net/icmp.h"
#include "net/ipv4.h"
#include "net/loopback.h"
#include "net/udp.h"
#include "tests/kernel/fake_interface.h"

#define COUNTS 16 /* of a protocol, at most */
#define LO     0x7f000001u
#define OURS   0xc0000201u
#define OTHER  0xc0000209u /* 192.0.2.9, as all of 192.0.2.0/24 nobody's (RFC 5737) */
#define EVERY  0xffffffffu
#define CLOSED 9
#define SECOND 1000000000ull

/* The fake card sends nothing: it notes how many frames, and the last one. */
static struct net_interface card;
static unsigned sent;
static uint8_t last[ETHERNET_MAX];

static int note(struct net_interface *interface, struct net_buffer *buffer)
{
    (void)interface;
    memcpy(last, buffer->frame, buffer->length);
    sent++;
    net_buffer_put(buffer);
    return 0;
}

/* --- what is expected --- */

static uint64_t before[NET_PROTOCOLS][COUNTS], expected[NET_PROTOCOLS][COUNTS];
static bool unknown; /* a counter's name */

static uint64_t value(unsigned protocol, size_t n)
{
    return evcnt_value(&net_protocols[protocol]->counts[n]);
}

static void begin(void)
{
    memset(expected, 0, sizeof expected);
    unknown = false;
    for (unsigned p = 0; p < NET_PROTOCOLS; p++)
        for (size_t n = 0; n < net_protocols[p]->count && n < COUNTS; n++)
            before[p][n] = value(p, n);
}

/* TIMES more of the counter whose name begins with TEXT. */
static void expect_more(const char *protocol, const char *text, uint64_t times)
{
    for (unsigned p = 0; p < NET_PROTOCOLS; p++)
        for (size_t n = 0; n < net_protocols[p]->count; n++)
            if (strcmp(net_protocols[p]->name, protocol) == 0 &&
                strncmp(net_protocols[p]->counts[n].ev_name, text, strlen(text)) == 0) {
                expected[p][n] += times;
                return;
            }
    unknown = true;
}

static void expect(const char *protocol, const char *text)
{
    expect_more(protocol, text, 1);
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

static bool all_came(unsigned *protocol, size_t *which)
{
    for (unsigned p = 0; p < NET_PROTOCOLS; p++)
        for (size_t n = 0; n < net_protocols[p]->count; n++)
            if (value(p, n) - before[p][n] != expected[p][n]) {
                *protocol = p;
                *which = n;
                return false;
            }
    return true;
}

static int check_now(void)
{
    unsigned p = 0;
    size_t n = 0;

    SELFTEST_CHECK(!unknown);
    if (!all_came(&p, &n))
        return selftest_fail(
            "%s: %s: %lu, not %lu", net_protocols[p]->name, net_protocols[p]->counts[n].ev_name,
            (unsigned long)(value(p, n) - before[p][n]), (unsigned long)expected[p][n]);
    return 0;
}

/* What goes by the loopback takes a moment. */
static int check(void)
{
    uint64_t end = clock_now() + SECOND;
    unsigned p;
    size_t n;

    while (!all_came(&p, &n) && clock_now() < end)
        thread_yield();
    return check_now();
}

/* --- packets --- */

static struct net_buffer *packet(size_t length)
{
    struct net_buffer *buffer = net_buffer_get();

    if (!buffer)
        return NULL;
    memset(buffer->frame, 0, ETHERNET_MAX);
    buffer->interface = &card;
    buffer->length = (uint32_t)(ETHERNET_HEADER + length);
    return buffer;
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
    struct net_buffer *buffer = packet(0);

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
    struct net_buffer *buffer = packet(0);

    if (!buffer)
        return false;
    wire_write_icmp(body_of(buffer), ICMP_HEADER, &icmp);
    write_ip(buffer, IP_ICMP, LO, to, ICMP_HEADER);
    give(buffer);
    return true;
}

static void start(void)
{
    late_start();
    fake_interface_begin(&card, "fake card");
    memcpy(card.mac, "\2\0\0\0\0\1", sizeof card.mac);
    card.name = "fake0";
    card.transmit = note;
    card.address = OURS;
    card.netmask = 0xffffff00;
    card.up = true;
    sent = 0;
    begin();
}

static int finish(int result)
{
    fake_interface_end(&card);
    return result;
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
            struct net_buffer *buffer = packet(0);

            SELFTEST_CHECK(buffer != NULL);
            write_ip(buffer, IP_UDP, LO, LO, 20);
            spoil(buffer, i);
            give(buffer);
            expect("ip", "packets received");
            expect("ip", faults[i]);
        }
    return check();
}

SELFTEST(net_counts_ip, "net-counts-ip",
         "a bad IPv4 packet counts under its reason, and only there")
{
    start();
    return finish(check_ip());
}

/* --- UDP --- */

static bool give_bad_udp(unsigned which)
{
    static const uint16_t sizes[] = {UDP_HEADER - 1, UDP_HEADER, UDP_HEADER + 3};
    struct wire_udp udp = {7, CLOSED, 3};
    struct net_buffer *buffer = packet(0);

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
    return check();
}

static int good_udp(struct udp_socket *socket)
{
    struct udp_peer to = {LO, socket->port};
    struct net_buffer *buffer = packet(0);
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
    if (check() != 0)
        return -1;
    for (unsigned n = 2; n < MAILBOX_ROOM + 5; n++) {
        SELFTEST_CHECK(give_udp(socket->port, LO));
        expect_ip("udp", n < MAILBOX_ROOM ? "datagrams delivered" : "datagrams dropped: socket");
    }
    return check();
}

SELFTEST(net_counts_udp, "net-counts-udp", "a datagram counts by what became of it, once")
{
    struct udp_socket socket;
    int result;

    start();
    result = bad_udp();
    if (result == 0 && udp_bind(&socket, 0) == 0) {
        result = good_udp(&socket);
        udp_close(&socket);
    }
    return finish(result);
}

/* --- ICMP --- */

static bool give_bad_icmp(bool cut)
{
    struct wire_icmp icmp = {ICMP_ECHO, 0, 1, 1};
    struct net_buffer *buffer = packet(0);

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
    return check();
}

static int replies(struct icmp_pinger *pinger)
{
    SELFTEST_EQUAL(icmp_ping(pinger, LO, 1, 8), 0);
    expect("icmp", "echo requests sent");
    expect_sent("icmp", "echo requests received");
    expect("icmp", "echo replies sent");
    expect_sent("icmp", "echo replies received");
    if (check() != 0)
        return -1;
    for (unsigned n = 1; n < MAILBOX_ROOM + 3; n++) {
        SELFTEST_CHECK(give_icmp(ICMP_ECHO_REPLY, pinger->id, LO));
        expect_ip("icmp", "echo replies received");
        if (n >= MAILBOX_ROOM)
            expect("icmp", "echo replies dropped");
    }
    return check();
}

SELFTEST(net_counts_icmp, "net-counts-icmp", "a message counts by its kind and what became of it")
{
    struct icmp_pinger pinger;
    int result;

    start();
    result = one_by_one();
    if (result == 0) {
        icmp_pinger_open(&pinger);
        result = replies(&pinger);
        icmp_pinger_close(&pinger);
    }
    return finish(result);
}

/* --- ARP --- */

static bool give_arp(uint16_t operation, uint32_t sender, uint32_t target, size_t length,
                     uint8_t mac)
{
    struct wire_arp arp = {.operation = operation, .sender = sender, .target = target};
    struct net_buffer *buffer = packet(length);

    if (!buffer)
        return false;
    memset(arp.sender_mac, mac, ETHERNET_ADDRESS);
    wire_write_arp(buffer->frame + ETHERNET_HEADER, &arp);
    arp_input(buffer);
    return true;
}

static int requests_and_replies(void)
{
    SELFTEST_CHECK(give_arp(ARP_REQUEST, OTHER, OURS, ARP_BYTES, 4));
    expect("arp", "requests received");
    expect("arp", "replies sent");
    SELFTEST_EQUAL(sent, 1);
    SELFTEST_CHECK(wire_get16(last + ETHERNET_HEADER + 6) == ARP_REPLY && last[0] == 4);
    for (unsigned n = 0; n < 2; n++) {
        SELFTEST_CHECK(give_arp(ARP_REQUEST, OTHER, OURS + 1, ARP_BYTES, 4));
        expect("arp", "requests received");
        SELFTEST_CHECK(give_arp(ARP_REQUEST, OURS, OTHER, ARP_BYTES, 4));
        expect("arp", "requests received");
        expect("arp", "packets of others");
    }
    SELFTEST_CHECK(give_arp(ARP_REPLY, OTHER, OURS, ARP_BYTES, 4));
    expect("arp", "replies received");
    SELFTEST_CHECK(give_arp(7, OTHER, OURS, ARP_BYTES, 4));
    SELFTEST_CHECK(give_arp(ARP_REQUEST, OTHER, OURS, ARP_BYTES, 5)); /* many have that address */
    SELFTEST_CHECK(give_arp(ARP_REQUEST, OTHER, OURS, ARP_BYTES - 1, 4));
    expect_more("arp", "bad packets", 3);
    expect_more("arp", "packets received", 9);
    SELFTEST_EQUAL(sent, 1);
    return check_now();
}

static bool put_out(uint32_t next, int says)
{
    struct net_buffer *buffer = packet(100);

    return buffer && arp_output(&card, buffer, next) == says;
}

/* What waits for an answer: one for each address, the latest. */
static int who_is_there(void)
{
    struct arp_info table[ARP_ENTRIES];
    unsigned free = ARP_ENTRIES - arp_snapshot(table, ARP_ENTRIES);

    sent = 0;
    SELFTEST_CHECK(put_out(OTHER, 0)); /* it is known */
    SELFTEST_EQUAL(sent, 1);
    for (unsigned n = 0; n < 3; n++)
        SELFTEST_CHECK(put_out(OTHER + 1, 0));
    expect("arp", "requests sent");
    expect_more("arp", "packets dropped", 2);
    SELFTEST_EQUAL(sent, 2);
    SELFTEST_CHECK(give_arp(ARP_REPLY, OTHER + 1, OURS, ARP_BYTES, 8));
    expect("arp", "packets received");
    expect("arp", "replies received");
    SELFTEST_EQUAL(sent, 3);
    SELFTEST_CHECK(last[0] == 8 && wire_get16(last + 12) == ETHERTYPE_IPV4);
    for (unsigned n = 1; n < free; n++)
        SELFTEST_CHECK(put_out(OTHER + 1 + n, 0));
    expect_more("arp", "requests sent", free - 1);
    return check_now();
}

static void take_back(void)
{
    for (size_t n = 0; n < arp_protocol.count; n++) /* a test may */
        arp_protocol.counts[n].ev_count -= evcnt_value(&arp_protocol.counts[n]) - before[0][n];
}

/* No law is checked meanwhile. */
SELFTEST(net_counts_arp, "net-counts-arp", "requests, answers and what waits for them are counted")
{
    int result;

    start();
    preempt_disable();
    result = requests_and_replies();
    if (result == 0)
        result = who_is_there();
    card.up = false;
    arp_announce(&card); /* forgets them */
    take_back();
    preempt_enable();
    return finish(result);
}

/* --- interfaces --- */

static bool hand_up(uint8_t first, uint32_t length)
{
    struct net_buffer *buffer = packet(length - ETHERNET_HEADER);

    if (!buffer)
        return false;
    memset(buffer->frame, first, ETHERNET_ADDRESS);
    net_interface_input(&card, buffer);
    return true;
}

static int check_interface(void)
{
    static const uint64_t expected_counts[NET_COUNTS] = {
        [NET_IPACKETS] = 6, [NET_OPACKETS] = 6,  [NET_RBYTES] = 600, [NET_OBYTES] = 660,
        [NET_MULTIRCV] = 2, [NET_BRDCSTRCV] = 3, [NET_MULTIXMT] = 3, [NET_BRDCSTXMT] = 2,
        [NET_IDROPS] = 6,   [NET_MISSED] = 9,
    };
    uint64_t strange = net_interface_count(loopback(), NET_UNKNOWN);
    struct net_buffer *buffer;
    uint64_t end = clock_now() + SECOND;

    card.up = false;
    for (unsigned n = 0; n < 6; n++) {
        uint8_t frame[ETHERNET_ADDRESS];

        SELFTEST_CHECK(hand_up(n == 0 ? 2 : n < 3 ? 1 : 0xff, 100));
        memset(frame, n == 0 ? 2 : n < 4 ? 1 : 0xff, sizeof frame);
        net_interface_sent(&card, frame, 110);
    }
    net_interface_add(&card, NET_MISSED, 9);
    for (unsigned n = 0; n < NET_COUNTS; n++)
        if (net_interface_count(&card, n) != expected_counts[n])
            return selftest_fail("%s: %lu", net_count_name(n),
                                 (unsigned long)net_interface_count(&card, n));
    buffer = packet(100);
    SELFTEST_CHECK(buffer != NULL);
    SELFTEST_EQUAL(-net_interface_output(&card, buffer, card.mac, 0x1234), ENETDOWN);
    buffer = packet(100);
    SELFTEST_CHECK(buffer != NULL);
    SELFTEST_EQUAL(net_interface_output(loopback(), buffer, card.mac, 0x1234), 0);
    while (net_interface_count(loopback(), NET_UNKNOWN) == strange && clock_now() < end)
        thread_yield();
    SELFTEST_EQUAL(net_interface_count(loopback(), NET_UNKNOWN) - strange, 1);
    return check(); /* no protocol had anything */
}

SELFTEST(net_counts_interface, "net-counts-interface",
         "frames and bytes of an interface, to one, many or all")
{
    start();
    return finish(check_interface());
}
