/* SPDX-License-Identifier: BSD-2-Clause */
/* The PIIX4's power management registers (Intel 82371AB data sheet, 7.1.10 and 7.2: PMBA,
 * PMREGMISC, PMCNTRL). */
#include "drivers/piix4_pm.h"
#include <arch/io.h>
#include "kernel/device/pci.h"

#define PIIX4_PM    0x71138086u /* device and vendor */
#define ENABLED     0x80000000u /* of a configuration address */
#define FUNCTION_3  0x300u
#define NEXT_DEVICE 0x800u
#define BUS_END     0x10000u
#define COMMAND     0x04
#define COMMAND_IO  0x1
#define PMBA        0x40
#define PMREGMISC   0x80
#define ENABLE      0x1
#define PMCNTRL     4
#define SUSPEND_OFF 0x2000 /* SUS_EN with SUS_TYP 0: soft off */

/* The configuration address of the function, 0 if it is not on bus 0. */
static uint32_t piix4_pm_find(const struct pci_bridge *bridge)
{
    for (uint32_t at = FUNCTION_3; at < BUS_END; at += NEXT_DEVICE)
        if (bridge->read(ENABLED | at) == PIIX4_PM)
            return ENABLED | at;
    return 0;
}

void piix4_pm_poweroff(const struct pci_bridge *bridge, uint16_t port_base)
{
    uint32_t pm = piix4_pm_find(bridge), base;

    if (!pm)
        return;
    base = bridge->read(pm + PMBA) & 0xffc0;
    if (!base) {
        base = port_base;
        bridge->write(pm + PMBA, base | 1);
    }
    bridge->write(pm + COMMAND, bridge->read(pm + COMMAND) | COMMAND_IO);
    bridge->write(pm + PMREGMISC, bridge->read(pm + PMREGMISC) | ENABLE);
    io_write16((uint16_t)(base + PMCNTRL), SUSPEND_OFF);
}
