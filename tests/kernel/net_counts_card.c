/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every counter of ARP and of an interface against frames written down here, by a card of the
 * tests' own. It is none of the interfaces, so what it had is taken out of the counters in the end.
 */
#include <kstat.h>
#include "kernel/time/clock.h"
#include "kernel/cpu/preempt.h"
#include "tests/kernel/selftest.h"
#include "kernel/thread/thread.h"
#include "kernel/device/late.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "net/arp.h"
#include "net/loopback.h"
#include "tests/kernel/fake_interface.h"
#include "tests/kernel/net_moves.h"

#define OURS   0xc0000201u
#define OTHER  0xc0000209u /* 192.0.2.9, as all of 192.0.2.0/24 nobody's (RFC 5737) */
#define SECOND 1000000000ull

/* The fake card sends nothing: it notes how many frames, and the last one. */
static struct net_interface card;
static unsigned sent;
static uint8_t last[ETHERNET_MAX];

static int net_counts_card_note(struct net_interface *interface, struct net_buffer *buffer)
{
    (void)interface;
    memcpy(last, buffer->frame, buffer->length);
    sent++;
    net_buffer_put(buffer);
    return 0;
}

static void expect(const char *text, uint64_t times)
{
    net_moves_expect("arp", text, times);
}

static void start(void)
{
    fake_interface_begin_up(&card, OURS, net_counts_card_note);
    sent = 0;
    net_moves_begin();
}

static int finish(int result)
{
    fake_interface_end(&card);
    return result;
}

/* --- ARP --- */

static bool give_arp(uint16_t operation, uint32_t sender, uint32_t target, size_t length,
                     uint8_t mac)
{
    struct wire_arp arp = {.operation = operation, .sender = sender, .target = target};
    struct net_buffer *buffer = net_moves_packet(&card, length);

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
    expect("requests received", 1);
    expect("replies sent", 1);
    SELFTEST_EQUAL(sent, 1);
    SELFTEST_CHECK(wire_get16(last + ETHERNET_HEADER + 6) == ARP_REPLY && last[0] == 4);
    for (unsigned n = 0; n < 2; n++) {
        SELFTEST_CHECK(give_arp(ARP_REQUEST, OTHER, OURS + 1, ARP_BYTES, 4));
        expect("requests received", 1);
        SELFTEST_CHECK(give_arp(ARP_REQUEST, OURS, OTHER, ARP_BYTES, 4));
        expect("requests received", 1);
        expect("packets of others", 1);
    }
    SELFTEST_CHECK(give_arp(ARP_REPLY, OTHER, OURS, ARP_BYTES, 4));
    expect("replies received", 1);
    SELFTEST_CHECK(give_arp(7, OTHER, OURS, ARP_BYTES, 4));
    SELFTEST_CHECK(give_arp(ARP_REQUEST, OTHER, OURS, ARP_BYTES, 5)); /* many have that address */
    SELFTEST_CHECK(give_arp(ARP_REQUEST, OTHER, OURS, ARP_BYTES - 1, 4));
    expect("bad packets", 3);
    expect("packets received", 9);
    SELFTEST_EQUAL(sent, 1);
    return net_moves_check_now();
}

static bool put_out(uint32_t next, int says)
{
    struct net_buffer *buffer = net_moves_packet(&card, 100);

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
    expect("requests sent", 1);
    expect("packets dropped", 2);
    SELFTEST_EQUAL(sent, 2);
    SELFTEST_CHECK(give_arp(ARP_REPLY, OTHER + 1, OURS, ARP_BYTES, 8));
    expect("packets received", 1);
    expect("replies received", 1);
    SELFTEST_EQUAL(sent, 3);
    SELFTEST_CHECK(last[0] == 8 && wire_get16(last + 12) == ETHERTYPE_IPV4);
    for (unsigned n = 1; n < free; n++)
        SELFTEST_CHECK(put_out(OTHER + 1 + n, 0));
    expect("requests sent", free - 1);
    return net_moves_check_now();
}

/* Those that have an answer make room for others, those that wait for one do not. */
static int no_room(void)
{
    unsigned more = 0;

    sent = 0;
    while (more <= ARP_ENTRIES && put_out(OTHER + 1000 + more, 0))
        more++;
    SELFTEST_CHECK(put_out(OTHER + 1000 + more, -ENOBUFS));
    expect("requests sent", more);
    expect("packets dropped", 2); /* the last of the loop, too */
    SELFTEST_EQUAL(sent, more);
    return net_moves_check_now();
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
    if (result == 0)
        result = no_room();
    card.up = false;
    arp_announce(&card); /* forgets them */
    net_moves_take_back();
    preempt_enable();
    return finish(result);
}

/* OTHER's line of ARP's table; whether there is one. */
static bool find_other(struct arp_info *out)
{
    struct arp_info table[ARP_ENTRIES];
    unsigned number = arp_snapshot(table, ARP_ENTRIES);

    if (arp_snapshot(NULL, 0) != number)
        return false;
    for (unsigned n = 0; n < number; n++)
        if (table[n].address == OTHER) {
            *out = table[n];
            return true;
        }
    return false;
}

static int nobody_answers(void)
{
    struct arp_info info;
    uint64_t begin = clock_now(), end = begin + 60 * SECOND;

    SELFTEST_CHECK(put_out(OTHER, 0) && put_out(OTHER, 0));
    SELFTEST_CHECK(find_other(&info));
    SELFTEST_CHECK(!info.complete && info.left > 0 && info.left <= SECOND);
    while (find_other(&info) && clock_now() < end)
        thread_sleep(SECOND / 20);
    SELFTEST_CHECK(clock_now() - begin >= 3 * SECOND);
    SELFTEST_EQUAL(sent, 3);
    expect("requests sent", 3);
    expect("packets dropped", 2); /* one for the other, and that one in the end */
    expect("entries timed", 1);
    return net_moves_check_now();
}

SELFTEST(net_counts_unanswered, "net-counts-unanswered",
         "an address that does not answer is asked for once a second, three times")
{
    int result;

    start();
    result = nobody_answers();
    card.up = false;
    arp_announce(&card);
    return finish(result);
}

/* --- interfaces --- */

SELFTEST(net_counts_kstat, "net-counts-kstat", "the loopback's kstat says what its counters say")
{
    uint64_t expected_packets;
    kstat_named_t *packets;
    kstat_ctl_t *kc;
    kstat_t *ksp;
    int result = 1;

    late_start();
    kc = kstat_open();
    SELFTEST_CHECK(kc != NULL);
    ksp = kstat_lookup(kc, "net", 0, "lo0");
    expected_packets = net_interface_count(loopback(), NET_IPACKETS);
    packets = ksp != NULL && kstat_read(kc, ksp, NULL) != -1 ? kstat_data_lookup(ksp, "ipackets64")
                                                             : NULL;
    if (packets == NULL)
        selftest_fail("no net:0:lo0");
    else if (packets->value.ui64 < expected_packets)
        selftest_fail("ipackets64: %lu", (unsigned long)packets->value.ui64);
    else if (ksp->ks_crtime != (hrtime_t)loopback()->counts[0].ev_since)
        selftest_fail("crtime %lld", (long long)ksp->ks_crtime);
    else
        result = 0;
    kstat_close(kc);
    return result;
}

static bool hand_up(uint8_t first, uint32_t length)
{
    struct net_buffer *buffer = net_moves_packet(&card, length - ETHERNET_HEADER);

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
    buffer = net_moves_packet(&card, 100);
    SELFTEST_CHECK(buffer != NULL);
    SELFTEST_EQUAL(-net_interface_output(&card, buffer, card.mac, 0x1234), ENETDOWN);
    SELFTEST_EQUAL(net_interface_count(&card, NET_OUTPUTS), 1);
    SELFTEST_EQUAL(net_interface_count(&card, NET_ODROPS), 1);
    card.up = true;
    buffer = net_moves_packet(&card, 100);
    SELFTEST_CHECK(buffer != NULL);
    SELFTEST_EQUAL(net_interface_output(&card, buffer, card.mac, 0x1234), 0);
    SELFTEST_EQUAL(net_interface_count(&card, NET_OUTPUTS), 2);
    SELFTEST_EQUAL(net_interface_count(&card, NET_ODROPS), 1);
    buffer = net_moves_packet(&card, 100);
    SELFTEST_CHECK(buffer != NULL);
    SELFTEST_EQUAL(net_interface_output(loopback(), buffer, card.mac, 0x1234), 0);
    while (net_interface_count(loopback(), NET_UNKNOWN) == strange && clock_now() < end)
        thread_yield();
    SELFTEST_EQUAL(net_interface_count(loopback(), NET_UNKNOWN) - strange, 1);
    return net_moves_check(); /* no protocol had anything */
}

SELFTEST(net_counts_interface, "net-counts-interface",
         "frames and bytes of an interface, to one, many or all")
{
    start();
    return finish(check_interface());
}
