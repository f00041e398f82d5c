/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks: what is known of one, and what is asked of QEMU about it, when it is translated. */
#ifndef QPMU_PLUGIN_BLOCK_H
#define QPMU_PLUGIN_BLOCK_H

#include "tools/qpmu/qemu/emu.h"

/* The callback of each translation. */
void block_translated(struct qemu_plugin_tb *translation);
/* All translated blocks are gone. */
void blocks_forgotten(void);

#endif
