/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of the network over the loopback: nothing is lost but what is counted, no buffer is left
 * behind. */
#include "kernel/time/clock.h"
#include "kernel/device/late.h"
#include "tests/kernel/fake_interface.h"
#include "tests/kernel/selftest.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "net/icmp.h"
#include "net/ipv4.h"
#include "net/loopback.h"
#include "net/udp.h"

#define SECOND 1000000000ull
#define LO     0x7f000001u

static const struct udp_peer nowhere = {.address = 0x7f000001u, .port = 9};

SELFTEST(net_echo, "net-echo", "echo requests of each size come back whole by the loopback")
{
    static const size_t sizes[] = {0, 1, 7, 8, 9, 56, 1471, 1472};
    struct icmp_pinger pinger;
    struct icmp_echo echo = {.source = 0};
    unsigned before, after, lowest;

    late_start();
    before = net_buffer_free(&lowest);
    icmp_pinger_open(&pinger);
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        SELFTEST_EQUAL(icmp_ping(&pinger, LO, (uint16_t)i, sizes[i]), 0);
        SELFTEST_EQUAL(icmp_await(&pinger, clock_now() + SECOND, &echo), 0);
        SELFTEST_EQUAL(echo.sequence, i);
        SELFTEST_EQUAL(echo.length, sizes[i] + ICMP_HEADER);
        SELFTEST_CHECK(echo.intact && echo.source == LO);
    }
    SELFTEST_EQUAL(-icmp_ping(&pinger, LO, 0, 1473), EMSGSIZE);
    icmp_pinger_close(&pinger);
    after = net_buffer_free(&lowest);
    SELFTEST_EQUAL(after, before);
    return 0;
}

SELFTEST(net_udp, "net-udp", "datagrams reach their socket; a full one drops and counts the rest")
{
    struct udp_socket a, b, twin;
    struct udp_peer from, to = {.address = LO};
    uint64_t packets = net_interface_count(loopback(), NET_IPACKETS);
    unsigned before, after, lowest, got = 0;
    char text[8] = "";

    late_start();
    before = net_buffer_free(&lowest);
    SELFTEST_EQUAL(udp_bind(&a, 0), 0);
    SELFTEST_EQUAL(udp_bind(&b, 0), 0);
    SELFTEST_EQUAL(-udp_bind(&twin, a.port), EADDRINUSE);
    to.port = b.port;
    for (unsigned i = 0; i < 2 * MAILBOX_ROOM; i++)
        SELFTEST_EQUAL(udp_send_to(&a, &to, "quipu", 6), 0);
    while (udp_receive_from(&b, &from, text, sizeof text, clock_now() + SECOND / 10) == 6) {
        SELFTEST_CHECK(strcmp(text, "quipu") == 0 && from.port == a.port && from.address == LO);
        got++;
    }
    SELFTEST_EQUAL(got, MAILBOX_ROOM);
    SELFTEST_EQUAL(-udp_receive_from(&b, &from, text, sizeof text, clock_now()), ETIMEDOUT);
    SELFTEST_EQUAL(net_interface_count(loopback(), NET_IPACKETS) - packets, 2 * MAILBOX_ROOM);
    SELFTEST_EQUAL(udp_send_to(&a, &to, "1", 1), 0); /* is dropped with the socket */
    udp_close(&b);
    udp_close(&a);
    after = net_buffer_free(&lowest);
    SELFTEST_EQUAL(after, before);
    return 0;
}

SELFTEST(net_exhaustion, "net-exhaustion",
         "without buffers nothing is sent, and afterwards all goes on")
{
    struct net_queue held;
    struct udp_socket socket;
    unsigned before, lowest;
    int error;

    late_start();
    before = net_buffer_free(&lowest);
    SELFTEST_EQUAL(udp_bind(&socket, 0), 0);
    fake_interface_starve(&held);
    error = udp_send_to(&socket, &nowhere, "x", 1);
    net_queue_drop(&held);
    SELFTEST_EQUAL(-error, ENOBUFS);
    SELFTEST_EQUAL(udp_send_to(&socket, &nowhere, "x", 1), 0);
    udp_close(&socket);
    SELFTEST_EQUAL(net_buffer_free(&lowest), before);
    return 0;
}
