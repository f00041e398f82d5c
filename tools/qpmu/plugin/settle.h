/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up what has been executed. */
#ifndef QPMU_PLUGIN_SETTLE_H
#define QPMU_PLUGIN_SETTLE_H

#include "tools/qpmu/qemu/emu.h"
#include "tools/qpmu/plugin/vcpu.h"

/* A block begins: what ran before it is counted. */
void settle_enter(struct vcpu *cpu, const struct block *next);

/* An interrupt, or an exception raised by the instruction at FROM, has come: what ran is counted.
 */
void settle_discontinuity(struct vcpu *cpu, bool exception, uint64_t from);

/* Counts what ran last, at the end of the machine. */
void settle_last(struct vcpu *cpu);

/* Counts the running block up to an instruction of it, which is about to be executed. */
void settle_before(struct vcpu *cpu, const struct step *step);

/* Adds instructions FROM to TO, less TO, of a block. */
void count_steps(struct vcpu *cpu, const struct block *block, unsigned from, unsigned to);

/* Adds an instruction that graduated, or one that raised an exception; not of the running block. */
void count_alone(struct vcpu *cpu, const struct step *step);
void count_fault(struct vcpu *cpu, const struct step *step);

/* EVENT happened N times at PC. */
void count_event(struct vcpu *cpu, enum qpmu_event event, unsigned n, uint64_t pc);

/* A counter reached its limit: the callback of struct qpmu_cpu. */
void overflowed(void *cpu, const struct qpmu_overflow *overflow);

/* Lets the registers see overflows of EVENT at PC. */
void limit_reached(struct vcpu *cpu, enum qpmu_event event, uint64_t pc);
static inline void check_limit(struct vcpu *cpu, enum qpmu_event event, uint64_t pc)
{
    if (__builtin_expect(qpmu_cpu_reached(&cpu->pmu, event), 0))
        limit_reached(cpu, event, pc);
}

#endif
