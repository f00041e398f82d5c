/* SPDX-License-Identifier: BSD-2-Clause */
/* Power management of the PIIX4, function 3 of the chip on both boards: switching the machine off.
 */
#pragma once

#include <stdint.h>

/* Switches off; returns if there is no such chip or it does not obey. PORT_BASE is used where the
 * firmware set none. */
void piix4_pm_poweroff(uint16_t port_base);
