/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef QPMU_PLUGIN_HOLD_H
#define QPMU_PLUGIN_HOLD_H

#include <stdbool.h>
#include <stdint.h>

/* A record was put into a ring of SIZE, where so many wait now; returns later if they are many.
 * INTERRUPTS: the guest is interrupted to take them. */
void hold_back(uint32_t waiting, uint32_t size, bool interrupts);

#endif
