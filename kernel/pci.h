/* SPDX-License-Identifier: BSD-2-Clause */
/* PCI configuration space and the devices found in it. The board says how its host bridge is
 * reached. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct pci_device {
    uint8_t bus, device, function;
    uint8_t class_code, subclass, interface, revision;
    uint8_t interrupt_line, interrupt_pin;
    uint16_t vendor_id, device_id;
};

struct pci_bridge {
    uint32_t (*read)(uint32_t address); /* 32 bits at a configuration address as for port 0xcf8 */
    void (*write)(uint32_t address, uint32_t value);
};

void pci_set_bridge(const struct pci_bridge *bridge);
/* The bus is walked when first asked. Device N in bus order, NULL after the last. Thread context.
 */
const struct pci_device *pci_device(size_t n);
/* The first device with these numbers, or NULL. */
const struct pci_device *pci_find(uint16_t vendor_id, uint16_t device_id);
/* 32 bits of DEVICE's configuration space; OFFSET is a multiple of 4. */
uint32_t pci_read(const struct pci_device *device, unsigned offset);
void pci_write(const struct pci_device *device, unsigned offset, uint32_t value);
/* What a class code means, "device" if it is not known. */
const char *pci_class_name(uint8_t class_code, uint8_t subclass);
