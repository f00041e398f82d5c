/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coprocessor 0's registers of a MIPS' PMU as the guest reads and writes them: register 25, and
 * what others say of it. QEMU's own keep or ignore what is written and raise nothing.
 */
#include "tools/qpmu/plugin/direct.h"

#include "tools/qpmu/plugin/malta.h"
#include "tools/qpmu/plugin/patch.h"
#include "tools/qpmu/plugin/registers.h"
#include "tools/qpmu/plugin/reset.h"
#include "tools/qpmu/plugin/room.h"
#include "tools/qpmu/plugin/watch.h"

#define COP0       0x10u
#define CONFIG1_PC (1u << 4)
#define INTCTL_PCI 26u /* 3 bits: IPPCI */
#define CAUSE_PCI  (1u << 26)

/* A kernel's; a user's mfc0 and mtc0 raise an exception. */
static bool serves(struct vcpu *cpu, const struct step *step)
{
    reset_look(cpu);
    cpu->direct.rt = step->rt;
    return direct_serves(cpu) && step->pc >> 63 != 0;
}

static void counter_read(unsigned int index, void *arg)
{
    struct vcpu *cpu = vcpu_of(index);
    const struct step *step = arg;
    uint64_t value;

    reset_look(cpu);
    if (cpu->ring.slot) {
        register_read(index, arg);
        return;
    }
    if (!serves(cpu, step) || !qpmu_cpu_has(&cpu->pmu, step->insn.select) || step->rt == 0)
        return;
    registers_settle(cpu, step);
    value = qpmu_cpu_read(&cpu->pmu, step->insn.select);
    room_give(cpu);
    patch_later(cpu, step, DIRECT_RT, 0, (uint64_t)(int64_t)(int32_t)value);
}

/* What asks for an event that is not instrumented yet is executed again when it is: QEMU forgets
 * its translations when the block has been left. */
static void __attribute__((noinline)) counter_written(unsigned int index, void *arg)
{
    uintptr_t code = (uintptr_t)__builtin_return_address(0);
    struct vcpu *cpu = vcpu_of(index);
    const struct step *step = arg;
    bool slot = step->index != 0 && step[-1].insn.flags & QPMU_INSN_DELAY_SLOT;

    reset_look(cpu);
    if (cpu->ring.slot) {
        register_written(index, arg);
        return;
    }
    if (!serves(cpu, step) || !qpmu_cpu_has(&cpu->pmu, step->insn.select))
        return;
    registers_settle(cpu, step);
    if (direct_write(cpu, step->insn.select, patch_read(cpu, DIRECT_RT)) || slot || cpu->carried)
        return;
    *watch_of(cpu) &= ~(uint64_t)WATCH_WRITE;
    cpu->direct.write_due = false;
    watch_leave(cpu, step, code);
}

static void config1_read(unsigned int index, void *arg)
{
    struct vcpu *cpu = vcpu_of(index);

    if (serves(cpu, arg) && cpu->pmu.kind == QPMU_R2)
        patch_later(cpu, arg, DIRECT_RT, ~0ull, CONFIG1_PC);
}

static void intctl_read(unsigned int index, void *arg)
{
    struct vcpu *cpu = vcpu_of(index);

    if (serves(cpu, arg) && cpu->pmu.kind == QPMU_R2)
        patch_later(cpu, arg, DIRECT_RT, ~(7ull << INTCTL_PCI),
                    (uint64_t)malta_pin() << INTCTL_PCI);
}

static void cause_read(unsigned int index, void *arg)
{
    struct vcpu *cpu = vcpu_of(index);

    if (serves(cpu, arg) && cpu->pmu.kind == QPMU_R2 && cpu->direct.line)
        patch_later(cpu, arg, DIRECT_RT, ~0ull, CAUSE_PCI);
}

/* mfc0 or dmfc0: 0, 1; mtc0 or dmtc0: 4, 5. */
emu_call *direct_mips_call(const struct qemu_plugin_insn *insn)
{
    uint8_t bytes[EMU_LONGEST];
    uint32_t word = 0;

    emu_insn_bytes(insn, bytes);
    for (unsigned i = 0; i < 4; i++)
        word |= (uint32_t)bytes[i] << 8 * (big ? 3 - i : i);
    if (word >> 26 != COP0 || word >> 25 & 1 || word >> 22 & 5)
        return NULL;
    switch ((word >> 11 & 31) << 3 | (word & 7)) {
    case 25 << 3 ...(25 << 3 | 7):
        return word >> 23 & 1 ? counter_written : counter_read;
    case 16 << 3 | 1:
        return word >> 23 & 1 ? NULL : config1_read;
    case 12 << 3 | 1:
        return word >> 23 & 1 ? NULL : intctl_read;
    case 13 << 3:
        return word >> 23 & 1 ? NULL : cause_read;
    default:
        return NULL;
    }
}
