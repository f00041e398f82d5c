/* SPDX-License-Identifier: BSD-2-Clause */
/* PIRQRC[A:D], the PIIX4's registers for PCI interrupts (Intel 82371AB data sheet, 4.1.10). */
#include "drivers/piix4_pirq.h"
#include "kernel/device/pci.h"

#define INTEL     0x8086
#define PIIX4_ISA 0x7110
#define PIRQRC    0x60
#define NOT_WIRED 0x80u
#define LINE_MASK 0x0fu

unsigned piix4_pirq_irq(unsigned pirq)
{
    static const uint8_t usual[4] = {10, 10, 11, 11};
    const struct pci_device *isa = pci_find(INTEL, PIIX4_ISA);
    uint8_t route;

    if (!isa)
        return 0;
    route = pci_read8(isa, PIRQRC + pirq);
    if (route & NOT_WIRED || (route & LINE_MASK) == 0) {
        route = usual[pirq];
        pci_write8(isa, PIRQRC + pirq, route);
    }
    return route & LINE_MASK;
}
