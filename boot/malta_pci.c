/* SPDX-License-Identifier: BSD-2-Clause */
/* The Malta board's PCI bus. */
#include <stddef.h>
#include "boot/board_part.h"
#include "boot/machine_malta.h"
#include "drivers/gt64120.h"
#include "drivers/piix4_pirq.h"
#include "kernel/base/machine.h"

/* Device numbers on the bus. */
#define DEVICE_PIIX4    10
#define DEVICE_ETHERNET 11
#define DEVICE_AUDIO    12
#define SLOT_1          18

/*
 * Pins to the PIIX4's four inputs (MIPS Malta User's Manual, PCI interrupts): devices on the board
 * have one of their own, the four slots turn by one each.
 */
static unsigned malta_pci_pirq_of(unsigned device, unsigned pin)
{
    if (device == DEVICE_PIIX4)
        return 3;
    if (device == DEVICE_ETHERNET)
        return 1;
    if (device == DEVICE_AUDIO)
        return 2;
    if (device >= SLOT_1 && device < SLOT_1 + 4)
        return (device - SLOT_1 + pin) & 3;
    return pin & 3;
}

static struct interrupt_line *pci_device_line(const struct pci_device *device)
{
    unsigned irq = piix4_pirq_irq(malta_pci_pirq_of(device->device, device->interrupt_pin - 1u));

    return irq ? malta_level_line(irq) : NULL;
}

static void malta_pci_join(void)
{
    machine.pci_line = pci_device_line;
    pci_set_bridge(&gt64120_bridge);
}

BOARD_PART(pci, .console = malta_pci_join);
