/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who may have sent a packet (RFC 1122, 3.2.1.3), and to whom a frame for many may be: by a card of
 * the tests' own, which is none of the interfaces, so that what it had is taken out of the counters
 * in the end. Packets are of a protocol that nobody speaks: nothing is answered.
 */
#include "kernel/cpu/preempt.h"
#include "lib/string.h"
#include "net/arp.h"
#include "net/ipv4.h"
#include "net/loopback.h"
#include "tests/kernel/fake_interface.h"
#include "tests/kernel/net_moves.h"
#include "tests/kernel/selftest.h"

#define OURS  0xc0000201u /* 192.0.2.1, as all of 192.0.2.0/24 nobody's (RFC 5737) */
#define OTHER 0xc0000209u
#define ALONE 0xc6336401u /* 198.51.100.1: nobody's either */

static const char sound[] = "packets of an unknown", no_host[] = "bad: source address",
                  our_own[] = "bad: source is our own", for_many[] = "bad: one host's";

static struct net_interface card;
static unsigned answers;

static int net_sources_note(struct net_interface *interface, struct net_buffer *buffer)
{
    (void)interface;
    answers++;
    net_buffer_put(buffer);
    return 0;
}

/* For the time of a test the loopback is 192.0.2.1/BITS, and nothing else runs on this CPU. */
static void sources_begin(uint32_t mask)
{
    fake_interface_begin_up(&card, ALONE, net_sources_note);
    answers = 0;
    net_moves_begin();
    preempt_disable();
    loopback()->address = OURS;
    loopback()->netmask = mask;
}

static int sources_end(int result)
{
    loopback()->address = 0x7f000001;
    loopback()->netmask = 0xff000000;
    card.up = false;
    arp_announce(&card); /* forgets whom it has learnt */
    net_moves_take_back();
    preempt_enable();
    fake_interface_end(&card);
    return result;
}

static bool give_from(struct net_interface *interface, uint32_t source, uint32_t to, uint8_t mac)
{
    struct wire_ipv4 ip = {
        .source = source, .destination = to, .protocol = 99, .ttl = 1, .payload = 8};
    struct net_buffer *buffer = net_moves_packet(interface, IPV4_HEADER + 8);

    if (!buffer)
        return false;
    memset(buffer->frame, mac, ETHERNET_ADDRESS);
    wire_write_ipv4(buffer->frame + IPV4_OFFSET, &ip);
    ipv4_input(buffer);
    return true;
}

struct sender {
    uint32_t address;
    const char *verdict;
};

static int sent_by(struct net_interface *interface, const struct sender *senders, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        SELFTEST_CHECK(give_from(interface, senders[i].address, OURS, 2));
        net_moves_expect("ip", "packets received", 1);
        net_moves_expect("ip", senders[i].verdict, 1);
        if (net_moves_check_now() != 0)
            return 1;
    }
    return 0;
}

/* The first and the last of each range that is no single host's, and their neighbours. */
static int ranges(void)
{
    static const struct sender senders[] = {
        {0x00000000, no_host}, {0x00010203, no_host}, {0x00ffffff, no_host}, {0x01000000, sound},
        {0x7effffff, sound},   {0x7f000000, no_host}, {0x7f000001, no_host}, {0x7fffffff, no_host},
        {0x80000000, sound},   {0xdfffffff, sound},   {0xe0000000, no_host}, {0xefffffff, no_host},
        {0xf0000000, no_host}, {0xfffffffe, no_host}, {0xffffffff, no_host}, {0xc0000200, no_host},
        {0xc00002ff, no_host}, {0xc0000300, sound},   {0xc00001ff, sound},   {OURS, our_own},
    };

    return sent_by(&card, senders, sizeof senders / sizeof senders[0]);
}

SELFTEST(net_sources, "net-sources", "a packet from an address that no single host has is dropped")
{
    sources_begin(0xffffff00);
    return sources_end(ranges());
}

static int on_the_loopback(void)
{
    static const struct sender senders[] = {
        {OURS, sound}, {0x7f000001, sound}, {0, no_host}, {0xc0000200, no_host}};

    return sent_by(loopback(), senders, sizeof senders / sizeof senders[0]);
}

SELFTEST(net_sources_loopback, "net-sources-loopback", "by the loopback our own packets come")
{
    sources_begin(0xffffff00);
    return sources_end(on_the_loopback());
}

/* A net of two hosts (RFC 3021), or of one, has neither an address of its own nor a broadcast. */
static int small_nets(void)
{
    static const struct sender senders[] = {{OURS - 1, sound}, {OURS, sound}};

    if (sent_by(loopback(), senders, 2) != 0)
        return 1;
    loopback()->netmask = 0xffffffff;
    if (sent_by(loopback(), senders, 2) != 0)
        return 1;
    loopback()->netmask = 0xfffffffc;
    SELFTEST_CHECK(give_from(loopback(), OURS - 1, OURS, 2));
    SELFTEST_CHECK(give_from(loopback(), OURS + 2, OURS, 2));
    net_moves_expect("ip", "packets received", 2);
    net_moves_expect("ip", no_host, 2);
    return net_moves_check_now();
}

SELFTEST(net_sources_small, "net-sources-small", "in a net of two, each address is a host's")
{
    sources_begin(0xfffffffe);
    return sources_end(small_nets());
}

static int frames_for_many(void)
{
    static const struct {
        uint8_t mac;
        uint32_t to;
        const char *verdict;
    } frames[] = {{2, OURS, sound},          {1, OURS, for_many},
                  {0xff, OURS, for_many},    {0xff, 0xffffffff, sound},
                  {1, 0xe0000001, sound},    {2, 0xffffffff, sound},
                  {0xff, 0xc00002ff, sound}, {0xff, OTHER + 1, "packets not"}};

    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
        loopback()->netmask = frames[i].to == OTHER + 1 ? 0xfffffffc : 0xffffff00;
        SELFTEST_CHECK(give_from(&card, 0x0a000001, frames[i].to, frames[i].mac));
        net_moves_expect("ip", "packets received", 1);
        net_moves_expect("ip", frames[i].verdict, 1);
        if (net_moves_check_now() != 0)
            return 1;
    }
    return 0;
}

SELFTEST(net_sources_many, "net-sources-many", "a frame for many holds no packet for one host")
{
    sources_begin(0xffffff00);
    return sources_end(frames_for_many());
}

/* --- ARP --- */

static bool give_arp(uint16_t operation, uint32_t sender)
{
    struct wire_arp arp = {.operation = operation, .sender = sender, .target = ALONE};
    struct net_buffer *buffer = net_moves_packet(&card, ARP_BYTES);

    if (!buffer)
        return false;
    memset(arp.sender_mac, 4, ETHERNET_ADDRESS);
    wire_write_arp(buffer->frame + ETHERNET_HEADER, &arp);
    arp_input(buffer);
    return true;
}

static int nobody_is_believed(unsigned known)
{
    static const uint32_t senders[] = {0xffffffff, 0xfffffffe, 0xe0000001, 0x7f000001, 0x00010203,
                                       0xc00002ff, 0xc0000200, 0xc63364ff, 0xc6336400};

    for (size_t i = 0; i < sizeof senders / sizeof senders[0]; i++)
        for (uint16_t operation = ARP_REQUEST; operation <= ARP_REPLY; operation++) {
            SELFTEST_CHECK(give_arp(operation, senders[i]));
            net_moves_expect("arp", "packets received", 1);
            net_moves_expect("arp", "bad: sender", 1);
            if (net_moves_check_now() != 0)
                return 1;
        }
    for (unsigned n = 0; n < 3; n++) { /* ours, though not this card's */
        SELFTEST_CHECK(give_arp(ARP_REQUEST, OURS));
        net_moves_expect("arp", "packets received", 1);
        net_moves_expect("arp", "requests received", 1);
        net_moves_expect("arp", "packets of others", 1);
    }
    SELFTEST_EQUAL(answers, 0);
    SELFTEST_EQUAL(arp_snapshot(NULL, 0), known);
    return net_moves_check_now();
}

/* Who asks before it takes an address (RFC 5227) has none yet: it is answered, and not noted. */
static int probe(unsigned known)
{
    SELFTEST_CHECK(give_arp(ARP_REQUEST, 0) && give_arp(ARP_REPLY, 0));
    net_moves_expect("arp", "packets received", 2);
    net_moves_expect("arp", "requests received", 1);
    net_moves_expect("arp", "replies received", 1);
    net_moves_expect("arp", "replies sent", 1);
    SELFTEST_EQUAL(answers, 1);
    SELFTEST_EQUAL(arp_snapshot(NULL, 0), known);
    SELFTEST_CHECK(give_arp(ARP_REQUEST, ALONE + 1));
    net_moves_expect("arp", "packets received", 1);
    net_moves_expect("arp", "requests received", 1);
    net_moves_expect("arp", "replies sent", 1);
    SELFTEST_EQUAL(arp_snapshot(NULL, 0), known + 1);
    return net_moves_check_now();
}

SELFTEST(net_sources_arp, "net-sources-arp", "ARP believes nobody with an address of no host's")
{
    unsigned known;
    int result;

    sources_begin(0xffffff00);
    known = arp_snapshot(NULL, 0);
    result = nobody_is_believed(known);
    if (result == 0)
        result = probe(known);
    return sources_end(result);
}
