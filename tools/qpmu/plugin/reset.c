/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU does not tell a plugin of a reset, but the first CPU then begins at the reset vector, in
 * ROM. A PC's others wait until it starts them, and see it when they next have to do with their
 * slot. A Malta's all begin there, perhaps long after the first one: it is one reset.
 * An INIT, with which x86 CPUs start each other, leaves counters as they are, and is not seen here.
 */
#include "tools/qpmu/plugin/reset.h"

#include "tools/qpmu/plugin/gate.h"
#include "tools/qpmu/plugin/page.h"
#include "tools/qpmu/plugin/room.h"
#include "tools/qpmu/plugin/settle.h"

#include <string.h>

#define VECTOR_MIPS 0xffffffffbfc00000ull
#define VECTOR_X86  0xfffffff0ull
#define STATUS_ERL  4u

unsigned resets;
enum qpmu_kind kind_of_slots, kind_of_machine;

/* Raw counts go on: `total=` is told from them, and caches add to them. */
static void reset_pmu(struct vcpu *cpu)
{
    uint64_t raw[QPMU_EVENTS];

    room_take(cpu);
    memcpy(raw, cpu->pmu.raw, sizeof(raw));
    qpmu_cpu_reset(&cpu->pmu, cpu->ring.slot ? kind_of_slots : kind_of_machine);
    memcpy(cpu->pmu.raw, raw, sizeof(raw));
}

void reset_kind(struct vcpu *cpu)
{
    unsigned mode = cpu->pmu.mode;

    if (cpu->pmu.kind == kind_of_slots)
        return;
    reset_pmu(cpu);
    qpmu_cpu_mode(&cpu->pmu, mode);
    vcpu_choose(cpu);
}

void reset_registers(struct vcpu *cpu)
{
    reset_pmu(cpu);
    __atomic_store_n(&cpu->wanted, 0, __ATOMIC_RELAXED);
    cpu->undecided_count = 0;
    gate_forget();
    cpu->carried = NULL;
    cpu->sc = NULL;
    cpu->ll_size = 0;
    cpu->status = STATUS_ERL;
    cpu->status_written = cpu->returning = cpu->by_site = false;
    word_closer(cpu);
    vcpu_choose(cpu);
}

void reset_look(struct vcpu *cpu)
{
    if (!reset_missed(cpu))
        return;
    cpu->resets = __atomic_load_n(&resets, __ATOMIC_RELAXED);
    cpu->ring.slot = NULL;
    __atomic_store_n(&cpu->ring.callers, 0, __ATOMIC_RELAXED);
    cpu->ring.in_flight = false;
    direct_reset(cpu);
    reset_registers(cpu);
}

/* Called before the block's own callback. What ran before the reset is not told to the guest's
 * memory any more, which may be another guest's by now. */
static void begins(unsigned index, void *unused)
{
    struct vcpu *cpu = vcpu_of(index);
    unsigned seen = cpu->resets;

    (void)unused;
    /* A CPU that has missed one, or whom another forestalls, begins because of that one. */
    __atomic_compare_exchange_n(&resets, &seen, seen + 1, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    cpu->ring.slot = NULL;
    settle_last(cpu);
    reset_look(cpu);
}

bool reset_vector(uint64_t pc, struct qemu_plugin_tb *translation)
{
    uint64_t place;

    if (mips)
        return pc == VECTOR_MIPS;
    return pc == VECTOR_X86 &&
           !page_host_place(emu_insn_place(emu_insn_at(translation, 0)), &place);
}

void reset_ask(const struct block *block, struct qemu_plugin_tb *translation)
{
    if (reset_vector(block->pc, translation))
        emu_call_block(translation, begins, NULL);
}
