/* SPDX-License-Identifier: BSD-2-Clause */
/* Walking the PCI bus (PCI Local Bus Specification 3.0, 6.1 and appendix D). Bus 0 only: neither
 * board has bridges. */
#include "kernel/device/pci.h"
#include <stdbool.h>
#include "kernel/base/panic.h"
#include "kernel/lock/spinlock.h"
#include "lib/section.h"

#define DEVICES_MAX    64
#define ENABLE         0x80000000u
#define NO_DEVICE      0xffffffffu
#define MULTI_FUNCTION 0x800000u

static const struct pci_bridge *bridge;
static SHARED_BSS struct pci_device devices[DEVICES_MAX];
static size_t count;
static volatile bool walked;
static struct spinlock walk_lock = SPINLOCK_INITIALIZER("PCI walk");

static const struct {
    uint8_t class_code, subclass;
    const char *name;
} classes[] = {
    {0x01, 0x01, "IDE interface"},
    {0x01, 0x06, "SATA controller"},
    {0x01, 0x08, "NVMe controller"},
    {0x01, 0x00, "SCSI controller"},
    {0x02, 0x00, "Ethernet controller"},
    {0x03, 0x00, "VGA controller"},
    {0x04, 0x01, "audio device"},
    {0x06, 0x00, "host bridge"},
    {0x06, 0x01, "ISA bridge"},
    {0x06, 0x04, "PCI bridge"},
    {0x06, 0x80, "bridge"},
    {0x07, 0x00, "serial controller"},
    {0x08, 0x80, "system peripheral"},
    {0x0c, 0x03, "USB controller"},
    {0x0c, 0x05, "SMBus"},
};

void pci_set_bridge(const struct pci_bridge *new_bridge)
{
    bridge = new_bridge;
}

const struct pci_bridge *pci_bridge(void)
{
    return bridge;
}

static uint32_t pci_address(unsigned device, unsigned function, unsigned offset)
{
    return ENABLE | device << 11 | function << 8 | offset;
}

uint32_t pci_read(const struct pci_device *d, unsigned offset)
{
    return bridge->read(pci_address(d->device, d->function, offset));
}

void pci_write(const struct pci_device *d, unsigned offset, uint32_t value)
{
    bridge->write(pci_address(d->device, d->function, offset), value);
}

static void pci_add(unsigned device, unsigned function, uint32_t id)
{
    uint32_t class_word = bridge->read(pci_address(device, function, 8));
    uint32_t line = bridge->read(pci_address(device, function, 0x3c));

    if (count == DEVICES_MAX)
        return;
    devices[count++] = (struct pci_device){.device = (uint8_t)device,
                                           .function = (uint8_t)function,
                                           .class_code = (uint8_t)(class_word >> 24),
                                           .subclass = (uint8_t)(class_word >> 16),
                                           .interface = (uint8_t)(class_word >> 8),
                                           .revision = (uint8_t)class_word,
                                           .interrupt_line = (uint8_t)line,
                                           .interrupt_pin = (uint8_t)(line >> 8),
                                           .vendor_id = (uint16_t)id,
                                           .device_id = (uint16_t)(id >> 16)};
}

static void pci_walk(void)
{
    for (unsigned device = 0; device < 32; device++) {
        unsigned functions = 1;

        for (unsigned function = 0; function < functions; function++) {
            uint32_t id = bridge->read(pci_address(device, function, 0));

            if (id == NO_DEVICE || id == 0)
                continue;
            if (function == 0 && bridge->read(pci_address(device, 0, 12)) & MULTI_FUNCTION)
                functions = 8;
            pci_add(device, function, id);
        }
    }
    __atomic_thread_fence(__ATOMIC_RELEASE);
    walked = true;
}

/* Switching off after a panic may be the first to ask, and must not wait for who was stopped. */
static void pci_walk_once(void)
{
    uintptr_t state;

    if (panic_in_progress()) {
        count = 0;
        pci_walk();
        return;
    }
    state = spinlock_acquire(&walk_lock);
    if (!walked)
        pci_walk();
    spinlock_release(&walk_lock, state);
}

const struct pci_device *pci_device(size_t n)
{
    if (!walked && bridge)
        pci_walk_once();
    return n < count ? &devices[n] : NULL;
}

const struct pci_device *pci_find(uint16_t vendor_id, uint16_t device_id)
{
    const struct pci_device *device;

    for (size_t n = 0; (device = pci_device(n)); n++)
        if (device->vendor_id == vendor_id && device->device_id == device_id)
            return device;
    return NULL;
}

const char *pci_class_name(uint8_t class_code, uint8_t subclass)
{
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (classes[i].class_code == class_code && classes[i].subclass == subclass)
            return classes[i].name;
    return "device";
}
