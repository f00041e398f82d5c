/* SPDX-License-Identifier: BSD-2-Clause */
/* Resets of the machine, after which counters are off and slots forgotten. */
#ifndef QPMU_PLUGIN_RESET_H
#define QPMU_PLUGIN_RESET_H

#include "tools/qpmu/plugin/vcpu.h"
#include "tools/qpmu/qemu/emu.h"

/* Of a block that is being translated, before anything else is asked for: is it where a CPU begins
 * after a reset? */
void reset_ask(const struct block *block, struct qemu_plugin_tb *translation);
bool reset_vector(uint64_t pc, struct qemu_plugin_tb *translation);

/* Whether the machine has been reset since CPU last looked. */
extern unsigned resets __attribute__((visibility("hidden")));
static inline bool reset_missed(const struct vcpu *cpu)
{
    return __atomic_load_n(&resets, __ATOMIC_RELAXED) != cpu->resets;
}
/* CPU looks: if it was, its registers are as after power-on and its slot is forgotten. */
void reset_look(struct vcpu *cpu);
/* What registers there are, for a guest that makes the hypercall and for one that does not. */
extern enum qpmu_kind kind_of_slots, kind_of_machine __attribute__((visibility("hidden")));
/* CPU has made it. */
void reset_kind(struct vcpu *cpu);
/* The registers alone. In the CPU's thread, or where none runs. */
void reset_registers(struct vcpu *cpu);

#endif
