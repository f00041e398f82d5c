/* SPDX-License-Identifier: BSD-2-Clause */
/* PCI configuration space, the devices found in it, and what a driver needs to use one: its
 * addresses, its interrupt line, its capabilities. The board says how its host bridge is reached.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interrupt_line;

struct pci_device {
    uint8_t bus, device, function;
    uint8_t class_code, subclass, interface, revision;
    uint8_t interrupt_line, interrupt_pin;
    uint16_t vendor_id, device_id;
};

/* Addresses that a bridge passes on to the bus, and that nobody else uses. */
struct pci_window {
    uint32_t start, end;
};

struct pci_bridge {
    uint32_t (*read)(uint32_t address); /* 32 bits at a configuration address as for port 0xcf8 */
    void (*write)(uint32_t address, uint32_t value);
    /* For devices that no firmware has given an address; empty where firmware always has. */
    struct pci_window memory, ports;
};

/* A base address register: where a part of the device answers. */
struct pci_bar {
    uint64_t address; /* on the bus; memory: also physical, for memory_map_device */
    uint64_t size;
    bool ports; /* else memory */
};

#define PCI_BARS 6

#define PCI_COMMAND        0x04
#define PCI_COMMAND_PORTS  0x1u
#define PCI_COMMAND_MEMORY 0x2u
#define PCI_COMMAND_MASTER 0x4u
#define PCI_COMMAND_NO_INT 0x400u

void pci_set_bridge(const struct pci_bridge *bridge);
const struct pci_bridge *pci_bridge(void);
/* The bus is walked when first asked. Device N in bus order, NULL after the last. Thread context.
 */
const struct pci_device *pci_device(size_t n);
/* The first device with these numbers, or NULL. */
const struct pci_device *pci_find(uint16_t vendor_id, uint16_t device_id);
/* 32 bits of DEVICE's configuration space; OFFSET is a multiple of 4. */
uint32_t pci_read(const struct pci_device *device, unsigned offset);
void pci_write(const struct pci_device *device, unsigned offset, uint32_t value);
/* 8 and 16 bits; OFFSET as the size has it. */
uint8_t pci_read8(const struct pci_device *device, unsigned offset);
uint16_t pci_read16(const struct pci_device *device, unsigned offset);
void pci_write8(const struct pci_device *device, unsigned offset, uint8_t value);

/*
 * Base address register N: 0, -EINVAL if the device has none there (or N is the upper half of one),
 * -ENOSPC if it has no address and the bridge none left to give. The first call for a device
 * that has no address gives it one. It answers there after pci_enable. Thread context.
 */
int pci_bar(const struct pci_device *device, unsigned n, struct pci_bar *out);
/* Maps SIZE bytes from OFFSET in register N, which is one of memory: NULL if it is not, or is too
 * small. Registers of PCI devices are little-endian: lib/endian.h. Thread context. */
volatile void *pci_map(const struct pci_device *device, unsigned n, uint64_t offset, size_t size);
/* The device answers at its addresses, reads and writes memory by itself, and interrupts by its
 * pin. After pci_bar. Thread context. */
void pci_enable(const struct pci_device *device);
/* The offset of the next capability called ID after the one at AFTER (0: the first); 0 if there is
 * none. */
unsigned pci_capability(const struct pci_device *device, uint8_t id, unsigned after);
/*
 * The interrupt line of DEVICE's pin, level-triggered, perhaps shared with other devices: their
 * handlers all have IPL_VM. Prepared on first use; NULL if it has none. For the probes of drivers,
 * which run one at a time (kernel/device/late.h).
 */
struct interrupt_line *pci_line(const struct pci_device *device);
/* What a class code means, "device" if it is not known. */
const char *pci_class_name(uint8_t class_code, uint8_t subclass);
