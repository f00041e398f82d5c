/* SPDX-License-Identifier: BSD-2-Clause */
/* PCI configuration mechanism 1 (PCI Local Bus Specification 3.0, 3.2.2.3.2). */
#include "drivers/pci_ports.h"
#include <arch/interrupt_flag.h>
#include <arch/io.h>

#define ADDRESS 0xcf8
#define DATA    0xcfc

static uint32_t get(uint32_t address)
{
    uintptr_t state = interrupts_save();
    uint32_t value;

    io_write32(ADDRESS, address);
    value = io_read32(DATA);
    interrupts_restore(state);
    return value;
}

static void set(uint32_t address, uint32_t value)
{
    uintptr_t state = interrupts_save();

    io_write32(ADDRESS, address);
    io_write32(DATA, value);
    interrupts_restore(state);
}

const struct pci_bridge pci_ports = {get, set};
