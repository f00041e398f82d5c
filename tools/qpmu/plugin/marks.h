/* SPDX-License-Identifier: BSD-2-Clause */
/* Marks: how far a block came. */
#ifndef QPMU_PLUGIN_MARKS_H
#define QPMU_PLUGIN_MARKS_H

#include "tools/plugins/qemu_api.h"
#include "tools/qpmu/events.h"
#include "tools/qpmu/plugin/vcpu.h"

/* For a block that is being translated, its instructions decoded; says in it what marks a whole run
 * makes. */
void marks_ask(struct block *block, struct qemu_plugin_tb *translation, enum qpmu_level level);

#endif
