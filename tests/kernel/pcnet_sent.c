/* SPDX-License-Identifier: BSD-2-Clause */
/* Self-test of drivers/pcnet_send.c with a ring of which the test itself is the chip: QEMU's has no
 * collisions, and cannot fail. */
#include "drivers/pcnet.h"
#include "kernel/device/late.h"
#include "lib/endian.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "tests/kernel/fake_interface.h"
#include "tests/kernel/selftest.h"

static struct pcnet card;

static int pcnet_sent_put(uint32_t length)
{
    struct net_buffer *buffer = net_buffer_get();

    SELFTEST_CHECK(buffer != NULL);
    buffer->length = length;
    return -pcnet_send(&card, buffer);
}

/* The chip is done with frame I. */
static void pcnet_sent_by_chip(unsigned i, uint32_t status, uint32_t retries)
{
    card.shared->transmit[i % RING].length = cpu_to_le32(ONES << 16 | retries);
    card.shared->transmit[i % RING].status = cpu_to_le32(status);
}

static int pcnet_sent_check(uint64_t packets, uint64_t bytes, uint64_t errors, uint64_t collisions)
{
    const struct evcnt *counts = card.interface.counts;

    SELFTEST_EQUAL(evcnt_value(&counts[NET_OPACKETS]), packets);
    SELFTEST_EQUAL(evcnt_value(&counts[NET_OBYTES]), bytes);
    SELFTEST_EQUAL(evcnt_value(&counts[NET_OERRORS]), errors);
    SELFTEST_EQUAL(evcnt_value(&counts[NET_COLLISIONS]), collisions);
    return 0;
}

/* From FIRST on: sent, at the second try, at the eighth, not sent after 16 tries, not yet. */
static int pcnet_sent_frames(unsigned first)
{
    uint64_t rounds = first / 5 + 1;

    for (unsigned i = 0; i < 5; i++)
        if (pcnet_sent_put(100 + i) != 0)
            return 1;
    pcnet_sent_by_chip(first + 1, TRANSMIT_ONE, 0);
    pcnet_reap(&card); /* the first is the chip's: nothing is done */
    if (pcnet_sent_check(3 * (rounds - 1), 303 * (rounds - 1), 2 * (rounds - 1), 23 * (rounds - 1)))
        return 1;
    pcnet_sent_by_chip(first, 0, 9); /* which says nothing without TRANSMIT_MORE */
    pcnet_sent_by_chip(first + 2, TRANSMIT_MORE, 7);
    pcnet_sent_by_chip(first + 3, TRANSMIT_MORE | STATUS_ERR, 15);
    pcnet_sent(&card, CSR0_INTR | CSR0_TINT);
    SELFTEST_EQUAL(evcnt_value(&card.babbles), rounds - 1);
    pcnet_sent(&card, CSR0_INTR | CSR0_BABL);
    SELFTEST_EQUAL(evcnt_value(&card.babbles), rounds);
    SELFTEST_EQUAL(card.transmit_done, first + 4);
    if (pcnet_sent_check(3 * rounds, 303 * rounds, 2 * rounds - 1, 23 * rounds) != 0)
        return 1;
    pcnet_drop_sending(&card);
    SELFTEST_EQUAL(card.transmit_done, card.transmit_next);
    SELFTEST_EQUAL(card.shared->transmit[(first + 4) % RING].status, 0);
    for (unsigned i = 0; i < RING; i++)
        SELFTEST_CHECK(card.sending[i] == NULL);
    return pcnet_sent_check(3 * rounds, 303 * rounds, 2 * rounds, 23 * rounds);
}

/* As many as the ring has place for are the chip's; each beyond is refused, and counted. */
static int pcnet_sent_full(void)
{
    for (unsigned i = 0; i < RING; i++)
        SELFTEST_EQUAL(pcnet_sent_put(60), 0);
    SELFTEST_EQUAL(evcnt_value(&card.interface.counts[NET_NOXMTBUF]), 0);
    for (unsigned i = 1; i <= 3; i++) {
        SELFTEST_EQUAL(pcnet_sent_put(60), ENOBUFS);
        SELFTEST_EQUAL(evcnt_value(&card.interface.counts[NET_NOXMTBUF]), i);
    }
    SELFTEST_EQUAL(card.transmit_next - card.transmit_done, RING);
    pcnet_drop_sending(&card);
    return 0;
}

SELFTEST(pcnet_sent, "pcnet-sent", "frames that are sent at last, or not, and their collisions")
{
    int result = 0;

    late_start(); /* the pool of buffers */
    fake_interface_begin(&card.interface, "pcnet sent");
    evcnt_attach_dynamic(&card.babbles, EVCNT_TYPE_MISC, NULL, "pcnet sent", "babbles");
    card.transmit_next = card.transmit_done = 0;
    card.shared = page_alloc(0);
    SELFTEST_CHECK(card.shared != NULL);
    memset((void *)card.shared, 0, PAGE_SIZE);
    for (unsigned round = 0; result == 0 && round < 2 * RING; round++)
        result = pcnet_sent_frames(5 * round);
    if (result == 0)
        result = pcnet_sent_full();
    fake_interface_end(&card.interface);
    evcnt_detach(&card.babbles);
    page_free((void *)card.shared);
    return result;
}
