/* SPDX-License-Identifier: BSD-2-Clause */
/* Power management of the PIIX4, function 3 of the chip on both boards: switching the machine off.
 */
#pragma once

#include <stdint.h>

struct pci_bridge;

/* Switches off; returns if there is no such chip behind BRIDGE or it does not obey. PORT_BASE is
 * used where the firmware set none. It needs no other part of the kernel, so a panic may end here.
 */
void piix4_pm_poweroff(const struct pci_bridge *bridge, uint16_t port_base);
