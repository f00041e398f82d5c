/* SPDX-License-Identifier: BSD-2-Clause */
/* Virtio over PCI. Sections are those of the Virtual I/O Device Specification 1.1. */
#include "drivers/virtio_pci.h"
#include <arch/memory.h>
#include "lib/endian.h"
#include "lib/errno.h"

/* 4.1.4: a vendor capability says in which base address register a group of registers is. */
#define CAP_VENDOR    0x09
#define CAP_TYPE      3
#define CAP_BAR       4
#define CAP_OFFSET    8
#define CAP_LENGTH    12
#define CAP_STEP      16
#define TYPE_COMMON   1
#define TYPE_NOTIFY   2
#define TYPE_ISR      3
#define TYPE_DEVICE   4
#define COMMON_LENGTH 56

/* 4.1.4.3: the common configuration. */
#define DEVICE_FEATURE_SELECT 0
#define DEVICE_FEATURE        4
#define DRIVER_FEATURE_SELECT 8
#define DRIVER_FEATURE        12
#define DEVICE_STATUS         20
#define CONFIG_GENERATION     21
#define QUEUE_SELECT          22
#define QUEUE_SIZE            24
#define QUEUE_ENABLE          28
#define QUEUE_NOTIFY_OFF      30
#define QUEUE_DESCRIPTORS     32
#define QUEUE_AVAILABLE       40
#define QUEUE_USED            48

/* Readings of the status until it says that the device has been reset: one takes a microsecond or
 * so. */
#define RESET_PATIENCE 1000000u
#define GONE           0xffu
/* Readings of a configuration that is another one each time, before it is taken as it is. */
#define CONFIG_TRIES 1000u

static uint16_t virtio_pci_get16(const volatile uint8_t *address)
{
    return le16_to_cpu(*(const volatile uint16_t *)address);
}

static uint32_t virtio_pci_get32(const volatile uint8_t *address)
{
    return le32_to_cpu(*(const volatile uint32_t *)address);
}

static void virtio_pci_set16(volatile uint8_t *address, uint16_t value)
{
    *(volatile uint16_t *)address = cpu_to_le16(value);
}

static void virtio_pci_set32(volatile uint8_t *address, uint32_t value)
{
    *(volatile uint32_t *)address = cpu_to_le32(value);
}

static void virtio_pci_set64(volatile uint8_t *address, uint64_t value)
{
    virtio_pci_set32(address, (uint32_t)value);
    virtio_pci_set32(address + 4, (uint32_t)(value >> 32));
}

/* Maps the first group of registers of TYPE, at least LEAST bytes; the capability's offset to *AT.
 */
static volatile uint8_t *virtio_pci_map(const struct pci_device *pci, uint8_t type, uint32_t least,
                                        uint32_t *length, unsigned *at)
{
    for (unsigned cap = 0; (cap = pci_capability(pci, CAP_VENDOR, cap)) != 0;) {
        uint32_t offset = pci_read(pci, cap + CAP_OFFSET);

        *length = pci_read(pci, cap + CAP_LENGTH);
        *at = cap;
        if (pci_read8(pci, cap + CAP_TYPE) == type && *length >= least)
            return pci_map(pci, pci_read8(pci, cap + CAP_BAR), offset, *length);
    }
    return NULL;
}

static bool virtio_pci_is_modern(const struct pci_device *pci)
{
    for (unsigned cap = 0; (cap = pci_capability(pci, CAP_VENDOR, cap)) != 0;)
        if (pci_read8(pci, cap + CAP_TYPE) == TYPE_COMMON)
            return true;
    return false;
}

int virtio_pci_open(struct virtio_device *device, const struct pci_device *pci)
{
    uint32_t length;
    unsigned at;

    if (!virtio_pci_is_modern(pci))
        return -ENOTSUP;
    *device = (struct virtio_device){.pci = pci};
    device->config = virtio_pci_map(pci, TYPE_DEVICE, 1, &device->config_size, &at);
    device->common = virtio_pci_map(pci, TYPE_COMMON, COMMON_LENGTH, &length, &at);
    device->isr = virtio_pci_map(pci, TYPE_ISR, 1, &length, &at);
    device->notify = virtio_pci_map(pci, TYPE_NOTIFY, 2, &device->notify_size, &at);
    if (!device->config || !device->common || !device->isr || !device->notify)
        return -ENOMEM;
    device->notify_step = pci_read(pci, at + CAP_STEP);
    pci_enable(pci);
    return 0;
}

static void virtio_pci_add_status(const struct virtio_device *device, uint8_t bits)
{
    device->common[DEVICE_STATUS] |= bits;
}

static uint64_t virtio_pci_offered(const struct virtio_device *device)
{
    uint64_t features;

    virtio_pci_set32(device->common + DEVICE_FEATURE_SELECT, 0);
    features = virtio_pci_get32(device->common + DEVICE_FEATURE);
    virtio_pci_set32(device->common + DEVICE_FEATURE_SELECT, 1);
    return features | (uint64_t)virtio_pci_get32(device->common + DEVICE_FEATURE) << 32;
}

/* 3.1.1, steps 1 to 6. */
int virtio_pci_reset(struct virtio_device *device, uint64_t wanted)
{
    unsigned polls = 0;
    uint8_t status;

    device->common[DEVICE_STATUS] = 0;
    while ((status = device->common[DEVICE_STATUS]) != 0)
        if (status == GONE || ++polls == RESET_PATIENCE)
            return -EIO;
    virtio_pci_add_status(device, VIRTIO_ACKNOWLEDGE);
    virtio_pci_add_status(device, VIRTIO_DRIVER);
    device->features = virtio_pci_offered(device) & (wanted | VIRTIO_VERSION_1);
    virtio_pci_set32(device->common + DRIVER_FEATURE_SELECT, 0);
    virtio_pci_set32(device->common + DRIVER_FEATURE, (uint32_t)device->features);
    virtio_pci_set32(device->common + DRIVER_FEATURE_SELECT, 1);
    virtio_pci_set32(device->common + DRIVER_FEATURE, (uint32_t)(device->features >> 32));
    virtio_pci_add_status(device, VIRTIO_FEATURES_OK);
    if (!(device->features & VIRTIO_VERSION_1) ||
        !(device->common[DEVICE_STATUS] & VIRTIO_FEATURES_OK)) {
        virtio_pci_fail(device);
        return -ENOTSUP;
    }
    return 0;
}

uint16_t virtio_pci_queue_limit(const struct virtio_device *device, uint16_t n)
{
    virtio_pci_set16(device->common + QUEUE_SELECT, n);
    return virtio_pci_get16(device->common + QUEUE_SIZE);
}

int virtio_pci_queue_enable(const struct virtio_device *device, uint16_t n,
                            struct virtio_queue *queue)
{
    uint64_t place;

    virtio_pci_set16(device->common + QUEUE_SELECT, n);
    place = (uint64_t)virtio_pci_get16(device->common + QUEUE_NOTIFY_OFF) * device->notify_step;
    if (place + 2 > device->notify_size)
        return -EIO;
    queue->notify = device->notify + place;
    queue->number = n;
    virtio_pci_set16(device->common + QUEUE_SIZE, queue->size);
    virtio_pci_set64(device->common + QUEUE_DESCRIPTORS, memory_physical(queue->descriptors));
    virtio_pci_set64(device->common + QUEUE_AVAILABLE, memory_physical(queue->available));
    virtio_pci_set64(device->common + QUEUE_USED, memory_physical((const void *)queue->used));
    virtio_pci_set16(device->common + QUEUE_ENABLE, 1);
    return 0;
}

void virtio_pci_go(const struct virtio_device *device)
{
    virtio_pci_add_status(device, VIRTIO_DRIVER_OK);
}

void virtio_pci_fail(const struct virtio_device *device)
{
    virtio_pci_add_status(device, VIRTIO_FAILED);
}

uint8_t virtio_pci_isr(const struct virtio_device *device)
{
    return *device->isr;
}

uint8_t virtio_config8(const struct virtio_device *device, unsigned offset)
{
    return offset + 1 <= device->config_size ? device->config[offset] : 0;
}

uint32_t virtio_config32(const struct virtio_device *device, unsigned offset)
{
    return offset + 4 <= device->config_size ? virtio_pci_get32(device->config + offset) : 0;
}

uint64_t virtio_config64(const struct virtio_device *device, unsigned offset)
{
    unsigned tries = CONFIG_TRIES;
    uint8_t generation;
    uint64_t value;

    do {
        generation = device->common[CONFIG_GENERATION];
        value = virtio_config32(device, offset) | (uint64_t)virtio_config32(device, offset + 4)
                                                      << 32;
    } while (generation != device->common[CONFIG_GENERATION] && --tries > 0);
    return value;
}
