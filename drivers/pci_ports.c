/* SPDX-License-Identifier: BSD-2-Clause */
/* PCI configuration mechanism 1 (PCI Local Bus Specification 3.0, 3.2.2.3.2). */
#include "drivers/pci_ports.h"
#include <arch/interrupt_flag.h>
#include <arch/io.h>
#include "kernel/base/panic.h"
#include "kernel/lock/spinlock.h"

#define ADDRESS 0xcf8
#define DATA    0xcfc

static struct spinlock ports_lock = SPINLOCK_INITIALIZER("PCI ports");

/* Switching off after a panic comes here too, and who holds the lock may have been stopped. */
static uintptr_t pci_ports_acquire(void)
{
    return panic_in_progress() ? interrupts_save() : spinlock_acquire(&ports_lock);
}

static void pci_ports_release(uintptr_t state)
{
    if (panic_in_progress())
        interrupts_restore(state);
    else
        spinlock_release(&ports_lock, state);
}

static uint32_t pci_ports_get(uint32_t address)
{
    uintptr_t state = pci_ports_acquire();
    uint32_t value;

    io_write32(ADDRESS, address);
    value = io_read32(DATA);
    pci_ports_release(state);
    return value;
}

static void pci_ports_set(uint32_t address, uint32_t value)
{
    uintptr_t state = pci_ports_acquire();

    io_write32(ADDRESS, address);
    io_write32(DATA, value);
    pci_ports_release(state);
}

const struct pci_bridge pci_ports = {pci_ports_get, pci_ports_set, {0, 0}, {0, 0}};
