/* SPDX-License-Identifier: BSD-2-Clause */
/* The PC's PCI bus. */
#include "boot/board_part.h"
#include "boot/machine_pc.h"
#include "drivers/pci_ports.h"
#include "kernel/base/machine.h"

/* The firmware has routed DEVICE's pin, and told in the interrupt line register where to. */
static struct interrupt_line *pci_device_line(const struct pci_device *device)
{
    return pc_level_line(device->interrupt_line);
}

static void pc_pci_join(void)
{
    machine.pci_line = pci_device_line;
    pci_set_bridge(&pci_ports);
}

BOARD_PART(pci, .console = pc_pci_join);
