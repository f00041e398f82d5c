/* SPDX-License-Identifier: BSD-2-Clause */
/* Self-test of what drivers/virtio_net.c sends, with a queue of which the test itself is the
 * device: QEMU's has sent a frame before its driver goes on. */
#include "drivers/virtio_net.h"
#include "kernel/device/late.h"
#include "lib/endian.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "tests/kernel/fake_interface.h"
#include "tests/kernel/selftest.h"

#define RING 16u

static struct virtio_net card;
static uint16_t bell; /* where the driver notifies the device */
static uint16_t used; /* buffers that the device has used */

/* Gives the driver a frame of so many bytes. */
static int virtio_net_sent_give(uint32_t length)
{
    struct net_buffer *buffer = net_buffer_get();

    SELFTEST_CHECK(buffer != NULL);
    buffer->length = length;
    memset(buffer->frame, 0, length); /* for one station */
    return -virtio_net_transmit(&card.interface, buffer);
}

/* The device says that it has sent what the available ring's entry I is, or (PLACE) what there is
 * not; 2.6.6 and 2.6.8 of the specification. */
static void virtio_net_sent_say(uint32_t place)
{
    volatile uint16_t *index = (volatile uint16_t *)(volatile void *)card.transmit.used + 1;
    volatile uint32_t *entry =
        (volatile uint32_t *)(volatile void *)card.transmit.used + 1 + 2 * (used % RING);

    entry[0] = cpu_to_le32(place);
    entry[1] = 0;
    *index = cpu_to_le16(++used);
}

static uint32_t virtio_net_sent_place(unsigned i)
{
    const uint16_t *available = (const uint16_t *)(const void *)card.transmit.available;

    return le16_to_cpu(available[2 + i % RING]);
}

static int virtio_net_sent_check(uint64_t packets, uint64_t bytes, uint64_t strange)
{
    uintptr_t state = spinlock_acquire(&card.lock);

    virtio_net_reap(&card);
    spinlock_release(&card.lock, state);
    SELFTEST_EQUAL(evcnt_value(&card.interface.counts[NET_OPACKETS]), packets);
    SELFTEST_EQUAL(evcnt_value(&card.interface.counts[NET_OBYTES]), bytes);
    SELFTEST_EQUAL(evcnt_value(&card.interface.counts[NET_OERRORS]), 0);
    SELFTEST_EQUAL(evcnt_value(&card.strange), strange);
    return 0;
}

/* Three frames, of which the device sends the last first; what it says twice is strange. */
static int virtio_net_sent_some(void)
{
    for (unsigned i = 0; i < 3; i++)
        SELFTEST_EQUAL(virtio_net_sent_give(100 + i), 0);
    SELFTEST_EQUAL(evcnt_value(&card.notifications), 3);
    if (virtio_net_sent_check(0, 0, 0) != 0)
        return 1;
    virtio_net_sent_say(virtio_net_sent_place(2));
    virtio_net_sent_say(virtio_net_sent_place(0));
    if (virtio_net_sent_check(2, 202, 0) != 0)
        return 1;
    virtio_net_sent_say(virtio_net_sent_place(0));
    virtio_net_sent_say(RING);
    if (virtio_net_sent_check(2, 202, 2) != 0)
        return 1;
    virtio_net_sent_say(virtio_net_sent_place(1));
    return virtio_net_sent_check(3, 303, 2);
}

/* As many as there are places are the device's; each beyond is refused, and counted. */
static int virtio_net_sent_full(void)
{
    for (unsigned i = 0; i < RING; i++)
        SELFTEST_EQUAL(virtio_net_sent_give(60), 0);
    SELFTEST_EQUAL(evcnt_value(&card.interface.counts[NET_NOXMTBUF]), 0);
    for (unsigned i = 1; i <= 3; i++) {
        SELFTEST_EQUAL(virtio_net_sent_give(60), ENOBUFS);
        SELFTEST_EQUAL(evcnt_value(&card.interface.counts[NET_NOXMTBUF]), i);
    }
    SELFTEST_EQUAL(evcnt_value(&card.notifications), 3 + RING);
    for (unsigned i = 0; i < RING; i++)
        virtio_net_sent_say(virtio_net_sent_place(3 + i));
    return virtio_net_sent_check(3 + RING, 303 + 60 * RING, 2);
}

/* As new. False if there is no memory. */
static bool virtio_net_sent_begin(void)
{
    late_start(); /* the pool of buffers */
    fake_interface_begin(&card.interface, "virtio sent");
    spinlock_init(&card.lock, "virtio sent test's card");
    evcnt_attach_dynamic(&card.strange, EVCNT_TYPE_MISC, NULL, "virtio sent", "strange answers");
    evcnt_attach_dynamic(&card.notifications, EVCNT_TYPE_MISC, NULL, "virtio sent",
                         "notifications");
    memset(&card.transmit, 0, sizeof card.transmit);
    if (virtio_queue_alloc(&card.transmit, RING) != 0)
        return false;
    card.transmit.notify = (volatile uint8_t *)&bell;
    for (card.free_count = 0; card.free_count < RING; card.free_count++)
        card.free[card.free_count] = (uint8_t)card.free_count;
    used = 0;
    return true;
}

SELFTEST(vioif_sent, "vioif-sent", "frames are sent in any order, each once, or there is no place")
{
    int result = 1;

    if (virtio_net_sent_begin()) {
        result = virtio_net_sent_some();
        if (result == 0)
            result = virtio_net_sent_full();
        virtio_queue_free(&card.transmit);
    }
    for (unsigned n = 0; n < RING; n++)
        if (card.sending[n] != NULL)
            net_buffer_put(card.sending[n]);
    memset(card.sending, 0, sizeof card.sending);
    fake_interface_end(&card.interface);
    evcnt_detach(&card.strange);
    evcnt_detach(&card.notifications);
    return result;
}
