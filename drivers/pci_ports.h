/* SPDX-License-Identifier: BSD-2-Clause */
/* PCI configuration mechanism 1 of PCs: address at port 0xcf8, data at 0xcfc. */
#pragma once

#include "kernel/device/pci.h"

extern const struct pci_bridge pci_ports;
