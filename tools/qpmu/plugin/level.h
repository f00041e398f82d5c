/* SPDX-License-Identifier: BSD-2-Clause */
/* How much is instrumented. */
#ifndef QPMU_PLUGIN_LEVEL_H
#define QPMU_PLUGIN_LEVEL_H

#include "tools/qpmu/events.h"
#include "tools/plugins/qemu_api.h"

/* The level for which blocks are translated now. */
enum qpmu_level level_now(void);
/* Registers the callbacks; FLOOR is never gone below. */
void level_begin(qemu_plugin_id_t id, enum qpmu_level floor);
/* Asks for LEVEL; it comes soon, when all blocks have been forgotten. */
void level_ask(enum qpmu_level level);
/* For a long time nobody has used the level: goes down to what is needed. */
void level_unused(void);
/* The events that can be counted now. */
uint64_t level_events(void);

/* The plugin's: what else QEMU is to call (plugin.c). */
void callbacks_again(qemu_plugin_id_t id);

#endif
