/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Self-tests of drivers/pcnet_receive.c with a ring of which the test itself is the chip, so that
 * it can stop between any two of its writes.
 */
#include <arch/memory.h>
#include "drivers/pcnet.h"
#include "kernel/device/late.h"
#include "tests/kernel/selftest.h"
#include "lib/endian.h"
#include "lib/string.h"
#include "tests/kernel/fake_interface.h"

#define FIRST 0x02000000u /* STP */
#define LAST  0x01000000u /* ENP */
#define BAD   0x40000000u /* ERR */
#define OWN   0x80000000u

static struct pcnet card;

static unsigned chip; /* the descriptor that it fills next */

static void pcnet_ring_detach(void)
{
    fake_interface_end(&card.interface);
    evcnt_detach(&card.skips);
    for (unsigned i = 0; i < RING; i++)
        if (card.receiving[i])
            net_buffer_put(card.receiving[i]);
    page_free((void *)card.shared);
}

/* False if there is no memory. */
static bool attach(void)
{
    bool enough = true;

    late_start(); /* the pool of buffers */
    fake_interface_begin(&card.interface, "pcnet ring");
    card.receive_next = 0;
    card.missed = 0;
    card.silent = false;
    evcnt_attach_dynamic(&card.skips, EVCNT_TYPE_MISC, NULL, "pcnet ring", "receive skips");
    card.shared = page_alloc(0);
    for (unsigned i = 0; i < RING; i++)
        enough = (card.receiving[i] = net_buffer_get()) != NULL && enough;
    if (!enough || !card.shared) {
        pcnet_ring_detach();
        return false;
    }
    memset((void *)card.shared, 0, PAGE_SIZE);
    pcnet_receive_begin(&card);
    chip = 0;
    return true;
}

static volatile struct descriptor *at(unsigned i)
{
    return &card.shared->receive[i % RING];
}

static bool is_own(unsigned i)
{
    return le32_to_cpu(at(i)->status) & OWN;
}

/* The chip gives descriptor I back with these bits, and the length of a frame and its FCS. */
static void write(unsigned i, uint32_t bits, uint32_t length)
{
    uint32_t lower = le32_to_cpu(at(i)->status) & 0xffff;

    at(i)->length = cpu_to_le32(length + 4);
    at(i)->status = cpu_to_le32(bits | lower);
}

static void pcnet_ring_fill(uint32_t bits, uint32_t length)
{
    write(chip, bits, length);
    chip = (chip + 1) % RING;
}

/* What the driver does for one interrupt. */
static unsigned take(void)
{
    unsigned received = pcnet_received(&card);

    pcnet_receive(&card, received);
    return received;
}

/* At every place of the ring: a frame whose end is not written yet stays where it is. */
static int wait_for_ends(void)
{
    for (unsigned i = 0; i < RING; i++) {
        pcnet_ring_fill(FIRST, 0);
        SELFTEST_EQUAL(take(), 0);
        SELFTEST_CHECK(!is_own(i));
        write(i, FIRST | LAST, 100);
        SELFTEST_EQUAL(take(), 1);
        SELFTEST_CHECK(is_own(i));
    }
    for (unsigned i = 0; i < 5; i++)
        pcnet_ring_fill(FIRST | LAST, 60);
    pcnet_ring_fill(FIRST, 0);
    SELFTEST_EQUAL(take(), 5);
    write(5, FIRST | BAD, 0);
    SELFTEST_EQUAL(take(), 1);
    return fake_interface_check(&card.interface, RING + 5, 1, RING * 100 + 5 * 60);
}

/* A frame that needed three buffers is one error, and so is one for which they did not suffice. */
static int long_frames(void)
{
    for (unsigned round = 0; round < RING; round++) {
        pcnet_ring_fill(FIRST, 0);
        pcnet_ring_fill(0, 0);
        SELFTEST_EQUAL(take(), 0);
        pcnet_ring_fill(round % 2 ? LAST : BAD, 3300);
        pcnet_ring_fill(FIRST | LAST, 1514);
        SELFTEST_EQUAL(take(), 4);
    }
    pcnet_ring_fill(FIRST | LAST, 1515);
    pcnet_ring_fill(FIRST | LAST | BAD, 100);
    pcnet_ring_fill(FIRST, 0);
    pcnet_ring_fill(LAST, 100); /* longer than the length can tell */
    SELFTEST_EQUAL(take(), 4);
    return fake_interface_check(&card.interface, RING, RING + 3, RING * 1514);
}

/* The whole ring at once, from every place in it. */
static int full_rings(void)
{
    for (unsigned round = 0; round < RING; round++) {
        for (unsigned i = 0; i < RING; i++)
            pcnet_ring_fill(FIRST | LAST, 60 + i);
        SELFTEST_EQUAL(take(), RING);
        SELFTEST_EQUAL(take(), 0);
        pcnet_ring_fill(FIRST | LAST, 60);
        SELFTEST_EQUAL(take(), 1);
    }
    SELFTEST_EQUAL(evcnt_value(&card.skips), 0);
    return fake_interface_check(&card.interface, RING * (RING + 1), 0,
                                RING * (RING * 60 + RING * (RING - 1) / 2 + 60));
}

/* The chip leaves out descriptors that are its own, as many as can be, at every place. */
static int skips(void)
{
    for (unsigned round = 0; round < RING * (RING - 1); round++) {
        chip = (chip + 1 + round % (RING - 1)) % RING;
        pcnet_ring_fill(FIRST, 0);
        SELFTEST_EQUAL(take(), 0);
        write(chip + RING - 1, FIRST | LAST, 60);
        SELFTEST_EQUAL(take(), 1);
        pcnet_ring_fill(FIRST | LAST, 60);
        SELFTEST_EQUAL(take(), 1);
    }
    SELFTEST_EQUAL(evcnt_value(&card.skips), RING * (RING - 1));
    return fake_interface_check(&card.interface, 2 * RING * (RING - 1), 0, 120 * RING * (RING - 1));
}

/* It misses frames although all descriptors are its own: the first time may be an old story. */
static int deafness(void)
{
    SELFTEST_CHECK(!pcnet_is_deaf(&card, take()));
    pcnet_ring_fill(FIRST | LAST, 60);
    SELFTEST_CHECK(!pcnet_is_deaf(&card, take()));
    SELFTEST_CHECK(!pcnet_is_deaf(&card, take()));
    pcnet_ring_fill(FIRST, 60);
    SELFTEST_CHECK(!pcnet_is_deaf(&card, take()));
    write(chip + RING - 1, FIRST | LAST, 60);
    SELFTEST_CHECK(!pcnet_is_deaf(&card, take()));
    SELFTEST_CHECK(!pcnet_is_deaf(&card, take()));
    SELFTEST_CHECK(pcnet_is_deaf(&card, take()));
    pcnet_ring_fill(FIRST | LAST, 60);
    SELFTEST_EQUAL(take(), 1); /* it hears, and nothing is missed: what was before is forgotten */
    SELFTEST_CHECK(!pcnet_is_deaf(&card, take()));
    SELFTEST_CHECK(pcnet_is_deaf(&card, take()));
    pcnet_receive_begin(&card);
    SELFTEST_CHECK(!pcnet_is_deaf(&card, take()));
    return 0;
}

/* While the pool has no buffer, each frame is dropped for that, and its descriptor used again. */
static int pcnet_ring_starved(void)
{
    struct net_queue held;

    fake_interface_starve(&held);
    for (unsigned i = 0; i < 2 * RING; i++) {
        pcnet_ring_fill(FIRST | LAST, 60);
        SELFTEST_EQUAL(take(), 1);
    }
    pcnet_ring_fill(FIRST | LAST, 1515); /* an error in any case */
    SELFTEST_EQUAL(take(), 1);
    net_queue_drop(&held);
    SELFTEST_EQUAL(evcnt_value(&card.interface.counts[NET_NORCVBUF]), 2 * RING);
    pcnet_ring_fill(FIRST | LAST, 61);
    SELFTEST_EQUAL(take(), 1);
    SELFTEST_EQUAL(evcnt_value(&card.interface.counts[NET_NORCVBUF]), 2 * RING);
    return fake_interface_check(&card.interface, 1, 1, 61);
}

static int pcnet_ring_with_card(int (*test)(void))
{
    int failed;

    if (!attach())
        return selftest_skip("no memory for a second ring");
    failed = test();
    pcnet_ring_detach();
    return failed;
}

SELFTEST(pcnet_ends, "pcnet-ends", "no descriptor is taken before its frame's end is written")
{
    return pcnet_ring_with_card(wait_for_ends);
}

SELFTEST(pcnet_long, "pcnet-long", "a frame in several descriptors is one error")
{
    return pcnet_ring_with_card(long_frames);
}

SELFTEST(pcnet_full, "pcnet-full", "full rings are taken whole, from every place")
{
    return pcnet_ring_with_card(full_rings);
}

SELFTEST(pcnet_starved, "pcnet-starved", "frames for which there is no buffer are counted so")
{
    return pcnet_ring_with_card(pcnet_ring_starved);
}

SELFTEST(pcnet_skips, "pcnet-skips", "descriptors that the chip has left out stop nothing")
{
    return pcnet_ring_with_card(skips);
}

SELFTEST(pcnet_deaf, "pcnet-deaf", "a chip that has lost its ring is noticed, one in need is not")
{
    return pcnet_ring_with_card(deafness);
}
