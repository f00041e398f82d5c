/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens where a block begins. */
#ifndef QPMU_PLUGIN_ENTRY_H
#define QPMU_PLUGIN_ENTRY_H

#include "tools/qpmu/plugin/level.h"
#include "tools/qpmu/plugin/vcpu.h"

/* Whether translated code does it for blocks of LEVEL, and calls only where there is more. */
bool entry_inlined(enum qpmu_level level);

/* Asks QEMU for it: BLOCK, whose translation this is, is complete. */
void entry_ask(const struct block *block, struct qemu_plugin_tb *translation);

#endif
