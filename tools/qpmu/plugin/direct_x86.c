/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The instructions of an x86 PMU as the guest executes them: cpuid, rdmsr, wrmsr, rdpmc. QEMU has
 * no PMU: its cpuid 0AH is 0, MSRs that it does not know read 0 and ignore writes, and rdpmc is
 * undefined. What SDM volume 3, chapter 20 refuses is refused by having the instruction itself do
 * that: rdmsr and wrmsr of an MSR that certainly does not exist, rdpmc where CR4.PCE is 0.
 */
#include "tools/qpmu/plugin/direct.h"

#include "tools/qpmu/plugin/lapic.h"
#include "tools/qpmu/plugin/level.h"
#include "tools/qpmu/plugin/patch.h"
#include "tools/qpmu/plugin/registers.h"
#include "tools/qpmu/plugin/reset.h"
#include "tools/qpmu/plugin/room.h"
#include "tools/qpmu/plugin/settle.h"
#include "tools/qpmu/plugin/watch.h"
#include "tools/qpmu/x86_msr.h"

#include <stdio.h>

#define LEAF_FEATURES 1u
#define LEAF_PMU      0x0au
#define FEATURE_PDCM  (1u << 15) /* of leaf 1, ECX: there is PERF_CAPABILITIES */
#define VERSION       2u
#define EVENTS        7u /* architectural ones; all are there */

#define MSR_DEBUGCTL    0x1d9u
#define DEBUGCTL_FREEZE (1u << 12)
#define MSR_NONE        0x8ffu /* in the range of x2APIC, and reserved there */
#define EVTSEL_RESERVED (1u << 21 | ~(uint64_t)UINT32_MAX)
#define FIXED_RESERVED  (~0xbbbull)
#define OVF_BITS        (X86_GLOBAL_BITS | 3ull << 62)
#define RDPMC_FIXED     (1u << 30)
#define RDPMC_FAST      (1u << 31)
#define CR4_PCE         (1u << 8)

/* --- instructions ----------------------------------------------------------------------------- */

static void cpuid_executes(unsigned int index, void *step)
{
    struct vcpu *cpu = vcpu_of(index);
    uint32_t leaf = (uint32_t)patch_read(cpu, DIRECT_A);

    if (!direct_serves(cpu))
        return;
    if (leaf == LEAF_FEATURES)
        patch_later(cpu, step, DIRECT_C, ~0ull, FEATURE_PDCM);
    if (leaf != LEAF_PMU)
        return;
    patch_later(cpu, step, DIRECT_A, 0,
                VERSION | X86_GENERAL << 8 | X86_WIDTH << 16 | EVENTS << 24);
    patch_later(cpu, step, DIRECT_B, 0, 0);
    patch_later(cpu, step, DIRECT_C, 0, 0);
    patch_later(cpu, step, DIRECT_D, 0, X86_FIXED | X86_WIDTH << 5);
}

static void rdmsr_executes(unsigned int index, void *arg)
{
    struct vcpu *cpu = vcpu_of(index);
    const struct step *step = arg;
    uint32_t number = (uint32_t)patch_read(cpu, DIRECT_C);
    uint64_t value;

    reset_look(cpu);
    if (!direct_serves(cpu)) {
        register_read(index, arg);
        return;
    }
    if (step->block->user)
        return;
    if (number == LAPIC_MSR_LVTPC && cpu->direct.x2apic)
        value = cpu->direct.lvt;
    else if (number == MSR_DEBUGCTL)
        value = cpu->direct.debug_control;
    else if (qpmu_cpu_has(&cpu->pmu, number)) {
        registers_settle(cpu, step);
        value = qpmu_cpu_read(&cpu->pmu, number);
        room_give(cpu);
    } else
        return;
    patch_later(cpu, step, DIRECT_A, 0, (uint32_t)value);
    patch_later(cpu, step, DIRECT_D, 0, value >> 32);
}

/* Whether a value may be written. */
static bool is_allowed(uint32_t number, uint64_t value)
{
    if (number - X86_MSR_PERFEVTSEL0 < X86_GENERAL)
        return !(value & EVTSEL_RESERVED);
    if (number - X86_MSR_A_PMC0 < X86_GENERAL)
        return value >> X86_WIDTH == 0;
    switch (number) {
    case X86_MSR_FIXED_CTR_CTRL:
        return !(value & FIXED_RESERVED);
    case X86_MSR_GLOBAL_CTRL:
        return !(value & ~X86_GLOBAL_BITS);
    case X86_MSR_GLOBAL_OVF_CTRL:
        return !(value & ~OVF_BITS);
    case X86_MSR_CAPABILITIES:
        return value == X86_FULL_WIDTH;
    case X86_MSR_GLOBAL_STATUS:
        return false;
    default:
        return true;
    }
}

static void wrmsr_executes(unsigned int index, void *arg)
{
    struct vcpu *cpu = vcpu_of(index);
    const struct step *step = arg;
    uint32_t number = (uint32_t)patch_read(cpu, DIRECT_C);
    uint64_t value = (uint32_t)patch_read(cpu, DIRECT_A) | patch_read(cpu, DIRECT_D) << 32;

    reset_look(cpu);
    if (!step->block->user)
        lapic_written(cpu, number, value);
    if (!direct_serves(cpu)) {
        register_written(index, arg);
        return;
    }
    if (step->block->user)
        return;
    if (number == MSR_DEBUGCTL)
        cpu->direct.debug_control = value & DIRECT_FREEZE;
    if (!qpmu_cpu_has(&cpu->pmu, number))
        return;
    if (!is_allowed(number, value)) {
        patch_during(cpu, step, DIRECT_C, MSR_NONE);
        return;
    }
    registers_settle(cpu, step);
    direct_write(cpu, number, value);
}

/* The counter that ECX names to rdpmc, or -1. */
static int rdpmc_counter(uint32_t which)
{
    uint32_t n = which & ~(RDPMC_FIXED | RDPMC_FAST);

    if (which & RDPMC_FIXED)
        return n < X86_FIXED ? (int)(n + X86_GENERAL) : -1;
    return n < X86_GENERAL ? (int)n : -1;
}

/* There is no such counter: #GP(0). In the kernel that needs a way of QEMU's own; it is #UD
 * without.
 */
static void rdpmc_refused(struct vcpu *cpu, const struct step *step, uintptr_t code)
{
    uint64_t values[DIRECT_DI + 1];

    if (step->block->user) {
        patch_during(cpu, step, DIRECT_CR4, patch_read(cpu, DIRECT_CR4) & ~(uint64_t)CR4_PCE);
        return;
    }
    for (unsigned i = 0; i <= DIRECT_DI; i++)
        values[i] = patch_read(cpu, (enum direct_register)i);
    emu_raise_protection(cpu->index, code, values);
}

static void rdpmc_unserved(void)
{
    static bool said;

    if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
        fprintf(stderr, "qpmu: this QEMU lets nobody skip an rdpmc behind an instruction that "
                        "writes flags: there it is undefined\n");
}

/* QEMU would raise an exception: it is skipped. */
static void __attribute__((noinline)) rdpmc_executes(unsigned int index, void *arg)
{
    uintptr_t code = (uintptr_t)__builtin_return_address(0);
    struct vcpu *cpu = vcpu_of(index);
    const struct step *step = arg;
    uint32_t which = (uint32_t)patch_read(cpu, DIRECT_C);
    int counter = rdpmc_counter(which);
    uint64_t value, pc;

    reset_look(cpu);
    if (!direct_serves(cpu) || (step->block->user && !(patch_read(cpu, DIRECT_CR4) & CR4_PCE)))
        return;
    if (counter < 0) {
        rdpmc_refused(cpu, step, code);
        return;
    }
    if (!emu_unwind(cpu->index, code) && !step->clean) {
        rdpmc_unserved();
        return;
    }
    if (!patch_pc(&pc))
        return;
    pc = (pc & ~0xfffull) | (step->pc & 0xfff);
    registers_settle(cpu, step);
    value = qpmu_cpu_read(&cpu->pmu, counter < X86_GENERAL
                                         ? X86_MSR_PMC0 + (unsigned)counter
                                         : X86_MSR_FIXED_CTR0 + (unsigned)counter - X86_GENERAL);
    room_give(cpu);
    if (level_now() != QPMU_LEVEL_REGISTERS) {
        count_alone(cpu, step);
        word_leave(cpu, &no_block);
        cpu->start = 0;
    }
    patch_write(cpu, DIRECT_A, (uint32_t)value);
    patch_write(cpu, DIRECT_D, which & RDPMC_FAST ? 0 : value >> 32);
    emu_set_pc(pc + step->insn.length);
}

/* --- what is asked for ------------------------------------------------------------------------ */

/* Some instructions that write no flags: mov, lea, push, pop, movzx, movsx, nop. */
static bool keeps_flags(const uint8_t *bytes)
{
    while (bytes[0] == 0x66 || (bytes[0] & 0xf0) == 0x40)
        bytes++;
    if (bytes[0] == 0x0f)
        return bytes[1] == 0x1f || (bytes[1] & 0xf6) == 0xb6;
    return (bytes[0] >= 0x88 && bytes[0] <= 0x8b) || bytes[0] == 0x8d || bytes[0] == 0x90 ||
           (bytes[0] >= 0xb0 && bytes[0] <= 0xbf) || bytes[0] == 0xc6 || bytes[0] == 0xc7 ||
           (bytes[0] >= 0x50 && bytes[0] <= 0x5f) || bytes[0] == 0x63;
}

emu_call *direct_x86_call(const struct step *step)
{
    switch (step->insn.flags &
            (QPMU_INSN_CPUID | QPMU_INSN_RDMSR | QPMU_INSN_WRMSR | QPMU_INSN_RDPMC)) {
    case QPMU_INSN_CPUID:
        return cpuid_executes;
    case QPMU_INSN_RDMSR:
        return rdmsr_executes;
    case QPMU_INSN_WRMSR:
        return wrmsr_executes;
    case QPMU_INSN_RDPMC:
        return rdpmc_executes;
    default:
        return NULL;
    }
}

void direct_x86_ask(struct block *block, struct qemu_plugin_tb *translation)
{
    bool clean = block->pc / 4096 == (block->next_pc - 1) / 4096;
    uint8_t bytes[EMU_LONGEST];

    for (unsigned i = 0; i < block->count; i++) {
        block->steps[i].clean = clean;
        emu_insn_bytes(emu_insn_at(translation, i), bytes);
        clean &= keeps_flags(bytes);
    }
}
