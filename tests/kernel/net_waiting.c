/* SPDX-License-Identifier: BSD-2-Clause */
/* Self-test of what waits in UDP sockets: bytes that were sent and that nobody has read yet. */
#include "kernel/device/late.h"
#include "kernel/time/clock.h"
#include "lib/errno.h"
#include "net/udp.h"
#include "tests/kernel/selftest.h"
#include "tests/kernel/until.h"

#define LO     0x7f000001u
#define OTHERS 64 /* sockets that may be open beside */

static const size_t net_waiting_sizes[] = {1, 0, 7, UDP_ROOM, 6, 255, 256, 1000};

#define SIZES (sizeof net_waiting_sizes / sizeof net_waiting_sizes[0])

/* What the list says of PORT; nobody's is UINT64_MAX. */
static uint64_t net_waiting_at(uint16_t port)
{
    static struct udp_open open[OTHERS];
    unsigned count = udp_list(open, OTHERS);

    for (unsigned i = 0; i < count && i < OTHERS; i++)
        if (open[i].port == port)
            return open[i].waiting;
    return UINT64_MAX;
}

/* Sends a datagram of LENGTH bytes, and waits until TO holds COUNT. */
static int net_waiting_send(struct udp_socket *from, struct udp_socket *to, size_t length,
                            unsigned count)
{
    static const uint8_t data[UDP_ROOM];
    const struct udp_peer peer = {.address = LO, .port = to->port};

    SELFTEST_EQUAL(udp_send_to(from, &peer, data, length), 0);
    SELFTEST_CHECK(until_at_least(&to->received.queue.length, count));
    return 0;
}

/* With each one that comes it grows by its data, and falls as they are read: also where there is
 * room for a part of the data only. */
static int net_waiting_each(struct udp_socket *a, struct udp_socket *b)
{
    struct udp_peer from;
    uint64_t bytes = 0;
    uint8_t little[4];

    for (unsigned i = 0; i < SIZES; i++) {
        SELFTEST_EQUAL(net_waiting_at(b->port), bytes);
        if (net_waiting_send(a, b, net_waiting_sizes[i], i + 1) != 0)
            return 1;
        bytes += net_waiting_sizes[i];
    }
    for (unsigned i = 0; i < SIZES; i++) {
        SELFTEST_EQUAL(net_waiting_at(b->port), bytes);
        SELFTEST_EQUAL(net_waiting_at(a->port), 0);
        SELFTEST_EQUAL(udp_receive_from(b, &from, little, sizeof little, until_deadline()),
                       net_waiting_sizes[i]);
        bytes -= net_waiting_sizes[i];
    }
    SELFTEST_EQUAL(net_waiting_at(b->port), 0);
    return 0;
}

/* Those that find no room do not wait. The last that comes to the other one comes after them all.
 */
static int net_waiting_full(struct udp_socket *a, struct udp_socket *b)
{
    for (unsigned i = 0; i < MAILBOX_ROOM; i++)
        if (net_waiting_send(a, b, 3, i + 1) != 0)
            return 1;
    if (net_waiting_send(a, b, 500, MAILBOX_ROOM) != 0 || net_waiting_send(b, a, 11, 1) != 0)
        return 1;
    SELFTEST_EQUAL(net_waiting_at(b->port), 3 * MAILBOX_ROOM);
    SELFTEST_EQUAL(net_waiting_at(a->port), 11);
    return 0;
}

SELFTEST(net_waiting, "net-waiting", "the list of sockets has the bytes that wait in each")
{
    struct udp_socket a, b;
    unsigned open, result;
    uint16_t port;

    late_start();
    open = udp_list(NULL, 0);
    SELFTEST_EQUAL(udp_bind(&a, 0), 0);
    SELFTEST_EQUAL(udp_bind(&b, 0), 0);
    port = b.port;
    result = net_waiting_each(&a, &b) != 0 || net_waiting_full(&a, &b) != 0;
    if (udp_list(NULL, 0) != open + 2)
        result = (unsigned)selftest_fail("not two sockets more");
    udp_close(&b);
    udp_close(&a);
    SELFTEST_CHECK(net_waiting_at(port) == UINT64_MAX);
    SELFTEST_EQUAL(udp_list(NULL, 0), open);
    return (int)result;
}
