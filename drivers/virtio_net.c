/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Network cards of virtio (Virtual I/O Device Specification 1.1, 5.1): vioif0 and so on. A frame
 * and the header that the device wants before it lie in one buffer, so a chain is one descriptor,
 * whose number is the buffer's place.
 *
 * The device misses nothing: a frame that finds no buffer waits outside. So frames are taken in a
 * soft interrupt, of the level at which the protocols run, which take turns with it; what they have
 * no time for stays outside, and meanwhile the device does not interrupt.
 *
 * A frame longer than a buffer comes in several (MRG_RXBUF); otherwise the device would drop it
 * without a word. It is one input error.
 */
#include <arch/memory.h>
#include "drivers/virtio_net.h"
#include "kernel/memory/kmem.h"
#include "kernel/device/late.h"
#include "kernel/base/log.h"
#include "lib/endian.h"
#include "lib/errno.h"
#include "lib/format.h"
#include "lib/string.h"
#include "net/ipv4.h"

#define TYPE_NETWORK 1
#define TRANSITIONAL 0x1000 /* a network card that knows the legacy interface too */

/* The header's place in a buffer: just before the frame. */
static uint8_t *virtio_net_header_of(struct net_buffer *buffer)
{
    return buffer->headroom + NET_HEADROOM - VIRTIO_NET_HEADER;
}

/* The buffer's chain: one descriptor, of the same number. */
static void virtio_net_give_receive(struct virtio_net *card, unsigned n)
{
    virtio_descriptor_set(&card->receive, n,
                          memory_physical(virtio_net_header_of(card->receiving[n])),
                          VIRTIO_NET_HEADER + NET_FRAME_BYTES, VIRTIO_WRITE, 0);
    virtio_queue_put(&card->receive, n);
}

/* Whether the frame is for us; the device has seen to that if it could be told. */
static bool virtio_net_is_ours(const struct virtio_net *card, const uint8_t *frame)
{
    return card->filters || frame[0] & 1 ||
           memcmp(frame, card->interface.mac, ETHERNET_ADDRESS) == 0;
}

/* A whole frame, of so many bytes, in buffer N: handed up, or counted by why not. */
static void virtio_net_receive_frame(struct virtio_net *card, unsigned n, uint32_t length)
{
    struct net_buffer *buffer = card->receiving[n], *fresh;

    if (length < ETHERNET_HEADER || length > ETHERNET_MAX) {
        evcnt_incr(&card->interface.counts[NET_IERRORS]);
        return;
    }
    if (!virtio_net_is_ours(card, buffer->frame))
        return;
    fresh = net_buffer_get();
    if (!fresh) {
        evcnt_incr(&card->interface.counts[NET_NORCVBUF]);
        return;
    }
    card->receiving[n] = fresh;
    buffer->length = length;
    net_interface_input(&card->interface, buffer);
}

/* A used buffer: a frame, or a part of one that was too long. */
static void virtio_net_receive_buffer(struct virtio_net *card, unsigned n, uint32_t written)
{
    const uint8_t *header = virtio_net_header_of(card->receiving[n]);
    uint16_t parts = 1;

    if (card->parts_left > 0) {
        card->parts_left--; /* counted with the first */
        return;
    }
    if (card->device.features & VIRTIO_NET_MRG_RXBUF)
        parts = le16_to_cpu(*(const uint16_t *)(const void *)(header + VIRTIO_NET_HEADER_PARTS));
    if (parts > 1) {
        if (parts <= card->receive.size)
            card->parts_left = parts - 1u;
        else
            evcnt_incr(&card->strange); /* more than it has: what follows is not believed to be */
        evcnt_incr(&card->interface.counts[NET_IERRORS]);
        return;
    }
    virtio_net_receive_frame(card, n,
                             written < VIRTIO_NET_HEADER ? 0 : written - VIRTIO_NET_HEADER);
}

/* There is work for the soft interrupt, and no need for others. */
static void virtio_net_fall_behind(struct virtio_net *card)
{
    card->behind = true;
    (void)virtio_queue_interrupts(&card->receive, false);
    softint_schedule(&card->soft);
}

void virtio_net_receive(struct virtio_net *card)
{
    uint32_t n, written;
    unsigned taken;

    for (taken = 0; taken < VIRTIO_NET_BUDGET && virtio_queue_take(&card->receive, &n, &written);
         taken++) {
        if (n >= card->receive.size) {
            evcnt_incr(&card->strange);
            continue;
        }
        virtio_net_receive_buffer(card, n, written);
        virtio_net_give_receive(card, n);
    }
    if (virtio_queue_notify(&card->receive))
        evcnt_incr(&card->notifications);
    if (taken < VIRTIO_NET_BUDGET && !virtio_queue_interrupts(&card->receive, true))
        card->behind = false;
    else
        virtio_net_fall_behind(card);
}

static void virtio_net_receive_softly(void *argument)
{
    struct virtio_net *card = argument;
    uintptr_t state = spinlock_acquire(&card->lock);

    virtio_net_receive(card);
    spinlock_release(&card->lock, state);
}

void virtio_net_reap(struct virtio_net *card)
{
    uint32_t n, written;

    while (virtio_queue_take(&card->transmit, &n, &written)) {
        struct net_buffer *buffer = n < card->transmit.size ? card->sending[n] : NULL;

        if (!buffer) {
            evcnt_incr(&card->strange);
            continue;
        }
        net_interface_sent(&card->interface, buffer->frame, buffer->length);
        net_buffer_put(buffer);
        card->sending[n] = NULL;
        card->free[card->free_count++] = (uint8_t)n;
    }
}

static int virtio_net_handle(void *argument)
{
    struct virtio_net *card = argument;
    uint8_t why = virtio_pci_isr(&card->device);
    uintptr_t state;

    if (why == 0 || why == VIRTIO_ISR_GONE)
        return 0;
    state = spinlock_acquire(&card->lock);
    virtio_net_reap(card);
    if (!card->behind && virtio_queue_interrupts(&card->receive, true))
        virtio_net_fall_behind(card);
    spinlock_release(&card->lock, state);
    return 1;
}

int virtio_net_transmit(struct net_interface *interface, struct net_buffer *buffer)
{
    struct virtio_net *card = (struct virtio_net *)interface; /* its first member */
    uintptr_t state = spinlock_acquire(&card->lock);
    unsigned n;

    virtio_net_reap(card);
    if (card->free_count == 0) {
        spinlock_release(&card->lock, state);
        evcnt_incr(&interface->counts[NET_NOXMTBUF]);
        net_buffer_put(buffer);
        return -ENOBUFS;
    }
    n = card->free[--card->free_count];
    card->sending[n] = buffer;
    memset(virtio_net_header_of(buffer), 0, VIRTIO_NET_HEADER);
    virtio_descriptor_set(&card->transmit, n, memory_physical(virtio_net_header_of(buffer)),
                          VIRTIO_NET_HEADER + buffer->length, 0, 0);
    virtio_queue_put(&card->transmit, n);
    if (virtio_queue_notify(&card->transmit))
        evcnt_incr(&card->notifications);
    spinlock_release(&card->lock, state);
    return 0;
}

static unsigned virtio_net_sending(const struct net_interface *interface)
{
    const struct virtio_net *card = (const struct virtio_net *)interface;
    unsigned frames = 0;

    for (unsigned n = 0; n < VIRTIO_NET_RING; n++)
        frames += card->sending[n] != NULL;
    return frames;
}

static void virtio_net_refresh(struct net_interface *interface)
{
    struct virtio_net *card = (struct virtio_net *)interface;
    uintptr_t state = spinlock_acquire(&card->lock);

    virtio_net_reap(card);
    spinlock_release(&card->lock, state);
}

/* All buffers to the device; from here on it receives. */
static void virtio_net_begin(struct virtio_net *card)
{
    uintptr_t state = spinlock_acquire(&card->lock);

    for (unsigned n = 0; n < card->receive.size; n++)
        virtio_net_give_receive(card, n);
    card->interface.up = true;
    if (virtio_queue_notify(&card->receive))
        evcnt_incr(&card->notifications);
    spinlock_release(&card->lock, state);
}

static int virtio_net_attach(struct virtio_net *card, struct interrupt_line *line)
{
    int error;

    spinlock_init(&card->lock, "virtio network");
    card->interface.name = card->name;
    card->interface.transmit = virtio_net_transmit;
    card->interface.sending = virtio_net_sending;
    card->interface.refresh = virtio_net_refresh;
    error = net_interface_attach(&card->interface); /* the pool of buffers, too */
    if (error == 0)
        error = virtio_net_prepare(card);
    if (error == 0)
        error =
            interrupt_establish(line, IPL_VM, virtio_net_handle, card, card->name, &card->handler);
    if (error != 0)
        return error;
    softint_establish(&card->soft, IPL_SOFTNET, virtio_net_receive_softly, card, card->name);
    evcnt_attach_dynamic(&card->notifications, EVCNT_TYPE_MISC, NULL, card->name, "notifications");
    evcnt_attach_dynamic(&card->strange, EVCNT_TYPE_MISC, NULL, card->name, "strange answers");
    virtio_pci_go(&card->device);
    virtio_net_set_filter(card);
    ipv4_first_card(&card->interface);
    virtio_net_begin(card);
    return 0;
}

static int virtio_net_try_device(const struct pci_device *pci, unsigned number)
{
    struct interrupt_line *line = pci_line(pci);
    struct virtio_net *card = kmem_zalloc(sizeof *card);
    char mac[WIRE_MAC_TEXT];
    int error;

    if (!card)
        return -ENOMEM;
    format(card->name, sizeof card->name, "vioif%u", number);
    error = line ? virtio_pci_open(&card->device, pci) : -ENXIO;
    if (error == 0)
        error = virtio_net_agree(card);
    if (error == 0)
        error = virtio_net_attach(card, line);
    /* What has failed half-way keeps its memory: the device may know of it. */
    if (error != 0 && card->device.common)
        virtio_pci_fail(&card->device);
    if (error == 0)
        log_printf("%s: %s", card->name, wire_mac_text(card->interface.mac, mac));
    return error;
}

static void virtio_net_probe(void)
{
    const struct pci_device *pci;
    unsigned number = 0;

    for (size_t n = 0; (pci = pci_device(n)) != NULL; n++) {
        int error;

        if (pci->vendor_id != VIRTIO_VENDOR ||
            (pci->device_id != VIRTIO_MODERN + TYPE_NETWORK && pci->device_id != TRANSITIONAL))
            continue;
        error = virtio_net_try_device(pci, number);
        if (error != 0)
            log_printf("vioif%u: not usable (error %d)", number, -error);
        number++;
    }
}

LATE(3, virtio_net_probe);
