/* SPDX-License-Identifier: BSD-2-Clause */
/* The PIIX4's power management registers (Intel 82371AB data sheet, 7.1.10 and 7.2: PMBA,
 * PMREGMISC, PMCNTRL). */
#include "drivers/piix4_pm.h"
#include <arch/io.h>
#include "kernel/pci.h"

#define INTEL       0x8086
#define PIIX4_PM    0x7113
#define COMMAND     0x04
#define COMMAND_IO  0x1
#define PMBA        0x40
#define PMREGMISC   0x80
#define ENABLE      0x1
#define PMCNTRL     4
#define SUSPEND_OFF 0x2000 /* SUS_EN with SUS_TYP 0: soft off */

void piix4_pm_poweroff(uint16_t port_base)
{
    const struct pci_device *pm = pci_find(INTEL, PIIX4_PM);
    uint32_t base;

    if (!pm)
        return;
    base = pci_read(pm, PMBA) & 0xffc0;
    if (!base) {
        base = port_base;
        pci_write(pm, PMBA, base | 1);
    }
    pci_write(pm, COMMAND, pci_read(pm, COMMAND) | COMMAND_IO);
    pci_write(pm, PMREGMISC, pci_read(pm, PMREGMISC) | ENABLE);
    io_write16((uint16_t)(base + PMCNTRL), SUSPEND_OFF);
}
