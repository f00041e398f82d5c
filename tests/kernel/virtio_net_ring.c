/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Self-tests of what drivers/virtio_net.c receives, with queues of which the test itself is the
 * device.
 */
#include "drivers/virtio_net.h"
#include "kernel/device/late.h"
#include "kernel/memory/page.h"
#include "tests/kernel/selftest.h"
#include "lib/endian.h"
#include "lib/string.h"
#include "tests/kernel/fake_interface.h"

#define RING 64u

static struct virtio_net card;

static uint16_t bell; /* where the driver notifies the device */
static uint16_t used; /* buffers that the device has used */
static unsigned late; /* times the soft interrupt would go on */

/* The used ring as the device sees it, 2.6.8 of the specification. */
static volatile uint16_t *used_index(void)
{
    return (volatile uint16_t *)(volatile void *)card.receive.used + 1;
}

static volatile uint32_t *used_entry(unsigned n)
{
    return (volatile uint32_t *)(volatile void *)card.receive.used + 1 + 2 * (n % RING);
}

/* Nothing: the test goes on itself. */
static void virtio_net_ring_rest(void *argument)
{
    (void)argument;
    late++;
}

static struct evcnt *count(enum net_count which)
{
    return &card.interface.counts[which];
}

static void virtio_net_ring_detach(void)
{
    fake_interface_end(&card.interface);
    evcnt_detach(&card.strange);
    evcnt_detach(&card.notifications);
    for (unsigned i = 0; i < RING; i++)
        if (card.receiving[i])
            net_buffer_put(card.receiving[i]);
    if (card.receive.descriptors)
        virtio_queue_free(&card.receive);
}

/* As new, but for the soft interrupt, which cannot be given back. */
static void clear(void)
{
    static bool established;

    fake_interface_begin(&card.interface, "virtio ring");
    spinlock_init(&card.lock, "virtio ring test's card");
    memset(&card.receive, 0, sizeof card.receive);
    memset(card.receiving, 0, sizeof card.receiving);
    if (!established)
        softint_establish(&card.soft, IPL_SOFTNET, virtio_net_ring_rest, NULL, "virtio ring test");
    established = true;
    card.parts_left = 0;
    card.behind = false;
    used = 0;
    late = 0;
}

/* False if there is no memory. */
static bool attach(void)
{
    bool enough;

    late_start(); /* the pool of buffers */
    clear();
    evcnt_attach_dynamic(&card.strange, EVCNT_TYPE_MISC, NULL, "virtio ring", "strange answers");
    evcnt_attach_dynamic(&card.notifications, EVCNT_TYPE_MISC, NULL, "virtio ring",
                         "notifications");
    enough = virtio_queue_alloc(&card.receive, RING) == 0;
    for (unsigned i = 0; i < RING; i++)
        enough = (card.receiving[i] = net_buffer_get()) != NULL && enough;
    if (!enough) {
        virtio_net_ring_detach();
        return false;
    }
    card.receive.notify = (volatile uint8_t *)&bell;
    card.device.features = VIRTIO_NET_MRG_RXBUF;
    card.filters = true;
    return true;
}

/* The device has used buffer N: so many bytes of the header and the frame; the frame has PARTS. */
static void use(unsigned n, uint32_t written, uint16_t parts)
{
    volatile uint32_t *entry = used_entry(used);

    if (n < RING) {
        uint8_t *header = card.receiving[n]->headroom + NET_HEADROOM - VIRTIO_NET_HEADER;

        header[VIRTIO_NET_HEADER_PARTS] = (uint8_t)parts; /* little-endian */
        header[VIRTIO_NET_HEADER_PARTS + 1] = (uint8_t)(parts >> 8);
    }
    entry[0] = cpu_to_le32(n);
    entry[1] = cpu_to_le32(written);
    *used_index() = cpu_to_le16(++used);
}

/* What the driver does for one interrupt; how many buffers it gave back. */
static unsigned virtio_net_ring_take(void)
{
    uint16_t before = card.receive.offered;
    uintptr_t state = spinlock_acquire(&card.lock);

    virtio_net_receive(&card);
    spinlock_release(&card.lock, state);
    return (uint16_t)(card.receive.offered - before);
}

static int check_counts(uint64_t good, uint64_t bad, uint64_t bytes)
{
    SELFTEST_EQUAL(evcnt_value(&card.strange), 0);
    return fake_interface_check(&card.interface, good, bad, bytes);
}

/* Each buffer, in another order than they were given, many times round the ring. */
static int frames(void)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < 3 * RING; i++) {
        uint32_t length = 14 + i * 7;

        use(i * 5 % RING, VIRTIO_NET_HEADER + length, 1);
        SELFTEST_EQUAL(virtio_net_ring_take(), 1);
        SELFTEST_EQUAL(evcnt_value(&card.notifications), i + 1);
        SELFTEST_EQUAL(virtio_net_ring_take(), 0);
        bytes += length;
    }
    SELFTEST_EQUAL(evcnt_value(&card.notifications), 3 * RING);
    SELFTEST_EQUAL(bell, 0); /* the queue's number */
    return check_counts(3 * RING, 0, bytes);
}

/* Lengths at both limits, and beyond. */
static int lengths(void)
{
    static const uint32_t good[] = {14, 60, 1514}, bad[] = {13, 0, 1515, 1600};

    for (unsigned i = 0; i < sizeof good / sizeof *good; i++)
        use(i, VIRTIO_NET_HEADER + good[i], 1);
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        use(10 + i, VIRTIO_NET_HEADER + bad[i], 1);
    use(20, 5, 1); /* not even a header */
    SELFTEST_EQUAL(virtio_net_ring_take(), 8);
    return check_counts(3, 5, 14 + 60 + 1514);
}

/* Frames in several buffers are one error each, wherever the budget cuts them. */
static int parts(void)
{
    for (unsigned round = 0; round < 2 * VIRTIO_NET_BUDGET; round++) {
        unsigned n = round % 8 * 4;

        use(n, VIRTIO_NET_HEADER + 100, 1);
        use(n + 1, VIRTIO_NET_HEADER + NET_FRAME_BYTES, (uint16_t)(2 + round % 2));
        use(n + 2, NET_FRAME_BYTES, 7); /* no header: what is there is data */
        if (round % 2)
            use(n + 3, 40, 0);
        else
            use(n + 3, VIRTIO_NET_HEADER + 60, 1);
        if (round % 8 == 7) {
            SELFTEST_EQUAL(virtio_net_ring_take(), VIRTIO_NET_BUDGET);
            SELFTEST_EQUAL(virtio_net_ring_take(), 0);
        }
    }
    card.device.features = 0; /* then there is no number of parts */
    use(4, VIRTIO_NET_HEADER + 100, 2);
    SELFTEST_EQUAL(virtio_net_ring_take(), 1);
    return check_counts(3 * VIRTIO_NET_BUDGET + 1, 2 * VIRTIO_NET_BUDGET,
                        100 * (2 * VIRTIO_NET_BUDGET + 1) + 60 * VIRTIO_NET_BUDGET);
}

/* The available ring begins with a flag that says no. */
static bool may_interrupt(void)
{
    return *(volatile uint16_t *)(volatile void *)card.receive.available == 0;
}

/* After the budget the soft interrupt is to go on, until less has come. */
static int budget(void)
{
    for (unsigned n = 0; n < RING; n++)
        use(n, VIRTIO_NET_HEADER + 60, 1);
    SELFTEST_EQUAL(virtio_net_ring_take(), VIRTIO_NET_BUDGET);
    SELFTEST_CHECK(card.behind && late == 1);
    SELFTEST_CHECK(!may_interrupt());
    SELFTEST_EQUAL(virtio_net_ring_take(), RING - VIRTIO_NET_BUDGET);
    SELFTEST_CHECK(card.behind && late == 2);
    SELFTEST_EQUAL(virtio_net_ring_take(), 0);
    SELFTEST_CHECK(!card.behind && late == 2 && may_interrupt());
    for (unsigned n = 0; n < VIRTIO_NET_BUDGET - 1; n++)
        use(n, VIRTIO_NET_HEADER + 60, 1);
    SELFTEST_EQUAL(virtio_net_ring_take(), VIRTIO_NET_BUDGET - 1);
    SELFTEST_CHECK(!card.behind && late == 2);
    return check_counts(RING + VIRTIO_NET_BUDGET - 1, 0, 60 * (RING + VIRTIO_NET_BUDGET - 1));
}

/* A buffer that there is not: nothing is taken for it. */
static int strange(void)
{
    use(RING, VIRTIO_NET_HEADER + 60, 1);
    use(1, VIRTIO_NET_HEADER + 60, 1);
    SELFTEST_EQUAL(virtio_net_ring_take(), 1);
    SELFTEST_EQUAL(evcnt_value(&card.strange), 1);
    SELFTEST_EQUAL(evcnt_value(count(NET_IPACKETS)), 1);
    return 0;
}

/* A frame in more buffers than there are is one error; frames behind it are frames. */
static int too_many_parts(void)
{
    use(1, VIRTIO_NET_HEADER + 60, RING + 1);
    use(2, VIRTIO_NET_HEADER + 60, 1);
    use(3, VIRTIO_NET_HEADER + 60, 0xffff);
    use(4, VIRTIO_NET_HEADER + 61, 1);
    use(5, 0xffffffff, 1);
    SELFTEST_EQUAL(virtio_net_ring_take(), 5);
    SELFTEST_EQUAL(evcnt_value(&card.strange), 2);
    SELFTEST_EQUAL(evcnt_value(count(NET_IPACKETS)), 2);
    SELFTEST_EQUAL(evcnt_value(count(NET_IERRORS)), 3);
    SELFTEST_EQUAL(evcnt_value(count(NET_RBYTES)), 121);
    use(0, VIRTIO_NET_HEADER + 60, RING); /* so many there are */
    for (unsigned n = 1; n < RING; n++)
        use(n, VIRTIO_NET_HEADER + 60, 1);
    while (virtio_net_ring_take() > 0)
        continue;
    SELFTEST_EQUAL(evcnt_value(&card.strange), 2);
    SELFTEST_EQUAL(evcnt_value(count(NET_IPACKETS)), 2);
    SELFTEST_EQUAL(evcnt_value(count(NET_IERRORS)), 4);
    return 0;
}

/* Without the device's filter the driver leaves out what is for others, uncounted. */
static int filter(void)
{
    static const uint8_t us[] = {2, 0, 0, 0, 0, 9}, other[] = {2, 0, 0, 0, 0, 8}, many[] = {3};

    memcpy(card.interface.mac, us, sizeof us);
    for (unsigned round = 0; round < 2; round++) {
        card.filters = round == 1;
        memcpy(card.receiving[0]->frame, us, sizeof us);
        memcpy(card.receiving[1]->frame, other, sizeof other);
        memcpy(card.receiving[2]->frame, many, sizeof many);
        for (unsigned n = 0; n < 3; n++)
            use(n, VIRTIO_NET_HEADER + 60, 1);
        SELFTEST_EQUAL(virtio_net_ring_take(), 3);
    }
    SELFTEST_EQUAL(evcnt_value(count(NET_MULTIRCV)), 2);
    return check_counts(5, 0, 300);
}

/* While the pool has no buffer, each frame is dropped for that, and its own used again. */
static int virtio_net_ring_starved(void)
{
    struct net_queue held;

    fake_interface_starve(&held);
    for (unsigned i = 0; i < 2 * RING; i++) {
        use(i % RING, VIRTIO_NET_HEADER + 60, 1);
        SELFTEST_EQUAL(virtio_net_ring_take(), 1);
    }
    use(7, VIRTIO_NET_HEADER + 1515, 1); /* an error in any case */
    SELFTEST_EQUAL(virtio_net_ring_take(), 1);
    net_queue_drop(&held);
    SELFTEST_EQUAL(evcnt_value(count(NET_NORCVBUF)), 2 * RING);
    use(7, VIRTIO_NET_HEADER + 61, 1);
    SELFTEST_EQUAL(virtio_net_ring_take(), 1);
    SELFTEST_EQUAL(evcnt_value(count(NET_NORCVBUF)), 2 * RING);
    return check_counts(1, 1, 61);
}

static int virtio_net_ring_with_card(int (*test)(void))
{
    int failed;

    if (!attach())
        return selftest_skip("no memory for a second ring");
    failed = test();
    virtio_net_ring_detach();
    return failed;
}

SELFTEST(vioif_frames, "vioif-frames", "used buffers are taken in any order, each once")
{
    return virtio_net_ring_with_card(frames);
}

SELFTEST(vioif_lengths, "vioif-lengths", "frames too short or too long are errors")
{
    return virtio_net_ring_with_card(lengths);
}

SELFTEST(vioif_parts, "vioif-parts", "a frame in several buffers is one error")
{
    return virtio_net_ring_with_card(parts);
}

SELFTEST(vioif_budget, "vioif-budget", "what an interrupt leaves the soft interrupt takes")
{
    return virtio_net_ring_with_card(budget);
}

SELFTEST(vioif_starved, "vioif-starved", "frames for which there is no buffer are counted so")
{
    return virtio_net_ring_with_card(virtio_net_ring_starved);
}

SELFTEST(vioif_strange, "vioif-strange", "a buffer that there is not is counted as strange")
{
    return virtio_net_ring_with_card(strange);
}

SELFTEST(vioif_many_parts, "vioif-many-parts", "a frame in more buffers than there are is strange")
{
    return virtio_net_ring_with_card(too_many_parts);
}

SELFTEST(vioif_filter, "vioif-filter", "frames for others are left out by the driver if need be")
{
    return virtio_net_ring_with_card(filter);
}
