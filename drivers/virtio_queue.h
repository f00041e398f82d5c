/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A split virtqueue (Virtual I/O Device Specification 1.1, 2.6): a table of descriptors, a ring of
 * chains for the device, a ring of chains that it has used. The driver fills in descriptors as it
 * likes and calls this with the number of a chain's first. No lock of its own: the driver's.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define VIRTIO_QUEUE_MAX 256

/* 2.6.5; little-endian, as all the device sees. */
struct virtio_descriptor {
    uint64_t address; /* physical */
    uint32_t length;
    uint16_t flags, next;
};

#define VIRTIO_NEXT  0x1u /* the chain goes on at next */
#define VIRTIO_WRITE 0x2u /* the device writes */

struct virtio_available;
struct virtio_used;

struct virtio_queue {
    uint16_t size; /* entries: a power of 2 */
    uint16_t number;
    uint16_t offered, told; /* chains given to the device; of which it has been notified */
    uint16_t seen;          /* used ones taken */
    struct virtio_descriptor *descriptors;
    struct virtio_available *available;
    volatile struct virtio_used *used;
    volatile uint8_t *notify; /* the device's register */
};

/* Memory for SIZE entries, at most VIRTIO_QUEUE_MAX: 0 or -ENOMEM. Thread context. */
int virtio_queue_alloc(struct virtio_queue *queue, uint16_t size);
void virtio_queue_free(struct virtio_queue *queue);
/* Empty, as for a device that has been reset. Descriptors stay. */
void virtio_queue_clear(struct virtio_queue *queue);

void virtio_descriptor_set(struct virtio_queue *queue, unsigned n, uint64_t physical,
                           uint32_t length, uint16_t flags, unsigned next);

/* Gives the chain that begins at descriptor HEAD to the device. */
void virtio_queue_put(struct virtio_queue *queue, unsigned head);
/* Notifies it of what was put since the last time, if it wants to know; whether it was. */
bool virtio_queue_notify(struct virtio_queue *queue);
/* Takes a used chain: its first descriptor and how many bytes were written. False: there is none.
 */
bool virtio_queue_take(struct virtio_queue *queue, uint32_t *head, uint32_t *written);
/* Whether the device is to interrupt for what it uses from now on; a hint. Returns whether there is
 * a used chain already, for which it will not. */
bool virtio_queue_interrupts(struct virtio_queue *queue, bool wanted);
