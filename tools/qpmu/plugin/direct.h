/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The transparent mode, as far as a virtual CPU has to remember something of it: the guest executes
 * the real instructions of a PMU and finds the results in its registers, and knows of nothing. It
 * lies over the same registers (cpu.h) as the slot does, which takes its place on each CPU that has
 * made the hypercall. docs/QPMU.md says what a guest sees.
 *
 *   direct_x86.c  the instructions of an x86 PMU; lapic.c: its interrupt
 *   direct_mips.c the same of a MIPS'; malta.c: its interrupt
 *   patch.c       what they leave in registers
 *   watch.c       calls before single instructions, where something is due
 */
#ifndef QPMU_PLUGIN_DIRECT_H
#define QPMU_PLUGIN_DIRECT_H

#include "tools/qpmu/qemu/emu.h"

#include <stdbool.h>
#include <stdint.h>

struct vcpu;
struct step;
struct block;

/* Registers of the guest that are read and changed: x86's; of a MIPS, the general one that the
 * instruction names, in the place of the first. */
enum direct_register {
    DIRECT_A,
    DIRECT_C,
    DIRECT_D,
    DIRECT_B,
    DIRECT_SP,
    DIRECT_BP,
    DIRECT_SI,
    DIRECT_DI,
    DIRECT_CR4,
    DIRECT_REGISTERS
};
#define DIRECT_RT DIRECT_A

#define DIRECT_FREEZE (1u << 12) /* of x86's DEBUGCTL: an overflow stops all counters */

struct direct {
    /* Values that registers get once the instruction at `patch_pc` has been executed; and, of what
     * was changed to have it raise an exception, those that they had before. */
    uint64_t patch[DIRECT_REGISTERS], keep[DIRECT_REGISTERS], restore[DIRECT_REGISTERS];
    uint64_t patch_pc;
    uint16_t patches, restores; /* bit n: register n */

    bool write_due; /* of a register that waits for its event to be instrumented */
    uint32_t number;
    uint64_t value;

    bool near;          /* an overflow that interrupts comes soon */
    bool interrupt_due; /* it has come */
    uint64_t due_at;    /* then, in instructions */
    uint64_t ahead_at;  /* the same of the last one whose interrupt was raised ahead of it */
    uint64_t debug_control;

    bool x2apic;
    uint8_t rt;         /* MIPS: which register DIRECT_RT is */
    bool line;          /* the interrupt is up */
    uint32_t apic, lvt; /* its number; what was written to LVTPC, where it cannot be read */
};

/* Once. PIN: of the arguments. */
void direct_begin(bool on, unsigned pin);
/* Whether there is such a mode in this run. */
bool direct_is_on(void);
/* Whether CPU's registers are reached so. */
bool direct_serves(const struct vcpu *cpu);

/* Calls for a block that is being translated, before anything else is asked for of it. */
void direct_ask(struct block *block, struct qemu_plugin_tb *translation);

/* Everything up to here is counted: writes, now or (false) as soon as it can be, which is when the
 * block has been left; or what was written wants an instrumentation that is not there before that.
 */
bool direct_write(struct vcpu *cpu, uint32_t number, uint64_t value);
/* STEP is about to be executed: writes what is due. False: it is to wait, for what else is due. */
bool direct_write_again(struct vcpu *cpu, const struct step *step);
/* An EXCEPTION or interrupt came at FROM. */
void direct_discontinuity(struct vcpu *cpu, bool exception, uint64_t from);

/* The machine was reset. */
void direct_reset(struct vcpu *cpu);

/* A counter whose interrupt is enabled has overflowed. */
void direct_overflowed(struct vcpu *cpu);
/* Then, everything up to here is counted: raises its interrupt. False: nothing comes of it. */
bool direct_raise(struct vcpu *cpu);
/* STEP, the last of its block, is about to be executed, and everything before it is counted. If a
 * counter overflows in it, its interrupt is raised already, so that no other one that is due when
 * the block ends comes before it. Whether that was so. */
bool direct_raise_ahead(struct vcpu *cpu, const struct step *step);
/* It was executed: stops the counters, if the guest wants that. */
void direct_freeze(struct vcpu *cpu);
/* An overflow that interrupts may be near: asks for what finds it at its instruction. */
void direct_look(struct vcpu *cpu);

/* --- among the files of this mode --------------------------------------------------------------
 */

/* The call before an instruction that is answered, or NULL. */
emu_call *direct_x86_call(const struct step *step);
emu_call *direct_mips_call(const struct qemu_plugin_insn *insn);
void direct_x86_ask(struct block *block, struct qemu_plugin_tb *translation);

#endif
