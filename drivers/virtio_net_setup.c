/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a network card of virtio is made ready: features, queues, and what it receives. See
 * virtio_net.h; nothing here runs again once the card works. Sections are those of the Virtual I/O
 * Device Specification 1.1.
 */
#include <arch/memory.h>
#include "drivers/virtio_net.h"
#include "kernel/time/clock.h"
#include "kernel/base/log.h"
#include "lib/endian.h"
#include "lib/errno.h"

#define FEATURES (VIRTIO_NET_MAC | VIRTIO_NET_MRG_RXBUF | VIRTIO_NET_CTRL_VQ | VIRTIO_NET_CTRL_RX)

/* 5.1.2: without several pairs the control queue is the third. */
#define QUEUE_RECEIVE  0
#define QUEUE_TRANSMIT 1
#define QUEUE_CONTROL  2
#define CONTROL_SIZE   4

/* 5.1.6.5: a command, its data, and the answer. */
#define CLASS_RX         0
#define RX_PROMISCUOUS   0
#define RX_ALL_MULTICAST 1
#define ANSWER_OK        0
#define ANSWER_NOT       0xff          /* nothing yet; ours */
#define PATIENCE         5000000000ull /* ns; QEMU's main loop answers when it comes to it */

int virtio_net_agree(struct virtio_net *card)
{
    int error = virtio_pci_reset(&card->device, FEATURES);

    if (error == 0 && !(card->device.features & VIRTIO_NET_MAC))
        error = -ENOTSUP;
    for (unsigned i = 0; error == 0 && i < ETHERNET_ADDRESS; i++)
        card->interface.mac[i] = virtio_config8(&card->device, i);
    return error;
}

/* Queue N, with at most MOST entries. */
static int virtio_net_setup_make_queue(struct virtio_net *card, uint16_t n,
                                       struct virtio_queue *queue, uint16_t most)
{
    uint16_t size = virtio_pci_queue_limit(&card->device, n);

    if (size > most)
        size = most;
    if (size == 0 || (size & (size - 1)) != 0)
        return -ENOTSUP;
    if (virtio_queue_alloc(queue, size) != 0)
        return -ENOMEM;
    return virtio_pci_queue_enable(&card->device, n, queue);
}

int virtio_net_prepare(struct virtio_net *card)
{
    int error = virtio_net_setup_make_queue(card, QUEUE_RECEIVE, &card->receive, VIRTIO_NET_RING);

    if (error == 0)
        error = virtio_net_setup_make_queue(card, QUEUE_TRANSMIT, &card->transmit, VIRTIO_NET_RING);
    if (error == 0 && card->device.features & VIRTIO_NET_CTRL_RX)
        error = virtio_net_setup_make_queue(card, QUEUE_CONTROL, &card->control, CONTROL_SIZE);
    for (unsigned i = 0; error == 0 && i < card->receive.size; i++)
        if (!(card->receiving[i] = net_buffer_get()))
            error = -ENOMEM;
    for (unsigned i = 0; error == 0 && i < card->transmit.size; i++)
        card->free[card->free_count++] = (uint8_t)i;
    return error;
}

/* One command with one byte; whether the device did it. The queue has no other at the time. */
static bool virtio_net_setup_command(struct virtio_net *card, uint8_t what, uint8_t value)
{
    static struct {
        uint8_t class, command, value;
        volatile uint8_t answer;
    } ask;
    struct virtio_queue *queue = &card->control;
    uint64_t deadline = clock_now() + PATIENCE;
    uint32_t head, written;

    ask.class = CLASS_RX;
    ask.command = what;
    ask.value = value;
    ask.answer = ANSWER_NOT;
    virtio_descriptor_set(queue, 0, memory_physical(&ask), 2, VIRTIO_NEXT, 1);
    virtio_descriptor_set(queue, 1, memory_physical(&ask.value), 1, VIRTIO_NEXT, 2);
    virtio_descriptor_set(queue, 2, memory_physical((const void *)&ask.answer), 1, VIRTIO_WRITE, 0);
    virtio_queue_put(queue, 0);
    virtio_queue_notify(queue);
    while (!virtio_queue_take(queue, &head, &written))
        if (clock_now() > deadline)
            return false;
    return ask.answer == ANSWER_OK;
}

void virtio_net_set_filter(struct virtio_net *card)
{
    if (!(card->device.features & VIRTIO_NET_CTRL_RX))
        return;
    card->filters = virtio_net_setup_command(card, RX_ALL_MULTICAST, 1) &&
                    virtio_net_setup_command(card, RX_PROMISCUOUS, 0);
    if (!card->filters)
        log_printf("%s: hears what is for others", card->name);
}
