/* SPDX-License-Identifier: BSD-2-Clause */
/* Marks: how far a block came. */
#ifndef QPMU_PLUGIN_MARKS_H
#define QPMU_PLUGIN_MARKS_H

#include "tools/qpmu/qemu/emu.h"
#include "tools/qpmu/events.h"
#include "tools/qpmu/plugin/vcpu.h"

/* Once. EVERYWHERE: behind each instruction that may fault, else where control does not tell. */
void marks_begin(bool everywhere);
bool marks_everywhere(void);
/* Where they are: words of which the block that runs is one. */
struct emu_words *marks_words(void);
/* Finds CPU's: when it begins to run, and when translations are forgotten. */
void marks_of(struct vcpu *cpu, bool begins);

/* For a block that is being translated, its instructions decoded; says in it what marks a whole run
 * makes, and how else its progress is known. */
void marks_ask(struct block *block, struct qemu_plugin_tb *translation, enum qpmu_level level);

#endif
