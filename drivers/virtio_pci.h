/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtio device on PCI, version 1.0 and later (Virtual I/O Device Specification 1.1, 4.1): its
 * registers, its features and its state. Interrupts by pin; no MSI-X. What the device is for, its
 * driver knows.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "kernel/device/pci.h"
#include "drivers/virtio_queue.h"

#define VIRTIO_VENDOR 0x1af4
/* Device numbers: of those that are only modern 0x1040 + type, of those that are legacy devices too
 * each its own. */
#define VIRTIO_MODERN 0x1040

/* Device status, 2.1. */
#define VIRTIO_ACKNOWLEDGE 0x01u
#define VIRTIO_DRIVER      0x02u
#define VIRTIO_DRIVER_OK   0x04u
#define VIRTIO_FEATURES_OK 0x08u
#define VIRTIO_FAILED      0x80u

#define VIRTIO_VERSION_1 (1ull << 32)

/* What the interrupt is about, 4.1.4.5. */
#define VIRTIO_ISR_QUEUE  0x1u
#define VIRTIO_ISR_CONFIG 0x2u
#define VIRTIO_ISR_GONE   0xffu /* nobody answers: the device has been taken out */

struct virtio_device {
    const struct pci_device *pci;
    volatile uint8_t *common, *notify, *isr, *config;
    uint32_t notify_step, notify_size, config_size;
    uint64_t features; /* agreed on */
};

/* Finds and maps the registers of PCI: 0, -ENOTSUP (it has no modern interface), -ENOMEM. Thread
 * context. */
int virtio_pci_open(struct virtio_device *device, const struct pci_device *pci);
/*
 * Resets the device and agrees on those of the features WANTED that it has: 0, -ENOTSUP if it does
 * not accept them, -EIO if it does not answer. Queues follow, then virtio_pci_go. May be called
 * again, to bring it back.
 */
int virtio_pci_reset(struct virtio_device *device, uint64_t wanted);
/* How many entries queue N can have; 0: there is no such queue. Between reset and go. */
uint16_t virtio_pci_queue_limit(const struct virtio_device *device, uint16_t n);
/* Tells the device where QUEUE is, which is its number N, and QUEUE where to notify. -EIO if the
 * device has no place for that. */
int virtio_pci_queue_enable(const struct virtio_device *device, uint16_t n,
                            struct virtio_queue *queue);
/* The device may begin. */
void virtio_pci_go(const struct virtio_device *device);
/* Gives up on it. */
void virtio_pci_fail(const struct virtio_device *device);
/* Why it interrupts; reading takes the interrupt away. 0: it does not. */
uint8_t virtio_pci_isr(const struct virtio_device *device);

/* The device's own configuration; 0 beyond its end. OFFSET as the size has it. */
uint8_t virtio_config8(const struct virtio_device *device, unsigned offset);
uint32_t virtio_config32(const struct virtio_device *device, unsigned offset);
/* As it was at one moment, unless it never keeps still. */
uint64_t virtio_config64(const struct virtio_device *device, unsigned offset);
