/* SPDX-License-Identifier: BSD-2-Clause */
/* The GT-64120 host bridge of the Malta board: PCI configuration through its internal registers. */
#pragma once

#include "kernel/device/pci.h"

/* REGISTERS: where they are (the firmware puts them at physical 0x1be00000). */
void gt64120_boot(volatile void *registers);
extern const struct pci_bridge gt64120_bridge;
