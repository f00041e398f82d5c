/* SPDX-License-Identifier: BSD-2-Clause */
/* Where control goes at a block's end: branches, delay slots, repeated instructions. */
#ifndef QPMU_PLUGIN_FLOW_H
#define QPMU_PLUGIN_FLOW_H

#include "tools/qpmu/plugin/progress.h"

/* The block ran to its end, and control went to TO: counts what of its end graduated. */
void flow_ended(struct vcpu *cpu, const struct block *block, const struct arrival *to);

/* TO is where the guest comes back from an interrupt. */
void flow_returned(struct vcpu *cpu, const struct arrival *to);

/* It did not: STOPPED is the first instruction that did not graduate; FAULTED: it raised an
 * exception (else it is executed again, alone). Counts what graduated. */
void flow_left(struct vcpu *cpu, const struct block *block, const struct arrival *to,
               unsigned stopped, bool faulted);

/* Where the history of a branch at PC is kept. */
unsigned flow_branch_index(uint64_t pc);

/* A conditional branch at PC went one way. */
void flow_predict(struct vcpu *cpu, uint64_t pc, bool taken);

/* MIPS: whether the block's last instruction is in a delay slot. */
bool flow_in_slot(const struct vcpu *cpu, const struct block *block);
/* Whether STOPPED is the delay slot of a likely branch: then it may just have been skipped. */
bool flow_slot_skippable(const struct vcpu *cpu, const struct block *block, unsigned stopped);

#endif
