/* SPDX-License-Identifier: BSD-2-Clause */
/* Snapshots and migration: whether the guest's memory is of the same time as its counters. */
#ifndef QPMU_PLUGIN_SNAPSHOT_H
#define QPMU_PLUGIN_SNAPSHOT_H

#include "tools/qpmu/plugin/vcpu.h"
#include "tools/qpmu/qemu/emu.h"

/* CPU has got a slot: stamps it. */
void snapshot_hypercall(struct vcpu *cpu);
/* CPU, which has a slot, is about to reach a register. False: its counters have stopped. */
bool snapshot_register(struct vcpu *cpu);

/* Whether CPU's slot, if it has one, is of the same time. */
bool snapshot_is_same(const struct vcpu *cpu);

/* All translations were forgotten, as after a snapshot was loaded; no CPU runs. */
void snapshot_flushed(void);
/* A block is translated, maybe the first one. */
void snapshot_translated(struct qemu_plugin_tb *translation);

#endif
