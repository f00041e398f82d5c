/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values go through the slot, since a plugin reaches no register. An instruction that reads or
 * writes a counter first settles its block up to itself.
 */
#include "tools/qpmu/plugin/registers.h"

#include "tools/qpmu/plugin/calls.h"
#include "tools/qpmu/plugin/level.h"
#include "tools/qpmu/plugin/memory.h"
#include "tools/qpmu/plugin/mode.h"
#include "tools/qpmu/plugin/page.h"
#include "tools/qpmu/plugin/reset.h"
#include "tools/qpmu/plugin/room.h"
#include "tools/qpmu/plugin/settle.h"
#include "tools/qpmu/plugin/snapshot.h"

#include <stdio.h>

/* The number in the slot is used once: an MSR that is not the PMU's finds 0 there. */
static uint32_t register_number(struct qpmu_slot *slot, const struct step *step)
{
    uint32_t number;

    if (mips)
        return step->insn.select;
    number = page_get32(&slot->number);
    page_set32(&slot->number, 0);
    return number;
}

void registers_settle(struct vcpu *cpu, const struct step *step)
{
    if (level_now() != QPMU_LEVEL_REGISTERS)
        settle_before(cpu, step);
    if (level_now() >= QPMU_LEVEL_DATA)
        memory_take(cpu, step->pc);
    room_take(cpu);
}

bool registers_write(struct vcpu *cpu, uint32_t number, uint64_t value)
{
    enum qpmu_level level;
    uint64_t missing;

    cpu->pmu.counted = level_events();
    missing = qpmu_cpu_write(&cpu->pmu, number, value);
    if (missing) {
        level = qpmu_events_level(missing);
        level_ask(level < QPMU_LEVEL_BLOCKS ? QPMU_LEVEL_BLOCKS : level);
        room_give(cpu);
        return false;
    }
    __atomic_store_n(&cpu->wanted, qpmu_cpu_wanted(&cpu->pmu), __ATOMIC_RELAXED);
    vcpu_choose(cpu);
    return true;
}

/* The instruction is about to reach register *NUMBER, everything up to it is counted, and room_give
 * is due; false: it is for no register of this PMU. */
static bool begin(struct vcpu *cpu, const struct step *step, uint32_t *number)
{
    if (!cpu->ring.slot)
        return false;
    *number = register_number(cpu->ring.slot, step);
    if (!qpmu_cpu_has(&cpu->pmu, *number))
        return false;
    registers_settle(cpu, step);
    return true;
}

/* The counters have stopped: the guest's registers read as where there is no PMU, all ones. */
static bool has_stopped(struct vcpu *cpu, const struct step *step, bool reads)
{
    reset_look(cpu);
    if (!cpu->ring.slot || snapshot_register(cpu))
        return false;
    if (qpmu_cpu_has(&cpu->pmu, register_number(cpu->ring.slot, step)) && reads)
        page_set64(&cpu->ring.slot->value, ~0ull);
    return true;
}

void register_read(unsigned int index, void *arg)
{
    struct vcpu *cpu = vcpu_of(index);
    uint32_t number;

    if (has_stopped(cpu, arg, true) || !begin(cpu, arg, &number))
        return;
    page_set64(&cpu->ring.slot->value, qpmu_cpu_read(&cpu->pmu, number));
    room_give(cpu);
}

/* Says once why a counter stands still. */
static void modes_unknown(void)
{
    static bool said;

    if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
        fprintf(stderr, "qpmu: this QEMU does not tell user code from the kernel's, and the guest "
                        "has not set QPMU_HIGHER_HALF: counters of either alone stay 0\n");
}

void register_written(unsigned int index, void *arg)
{
    struct vcpu *cpu = vcpu_of(index);
    struct qpmu_slot *slot = cpu->ring.slot;
    uint32_t number;

    if (has_stopped(cpu, arg, false) || !begin(cpu, arg, &number))
        return;
    if (!registers_write(cpu, number, page_get64(&slot->value))) {
        page_set32(&slot->again, 1);
        return;
    }
    if (!mode_is_known() && qpmu_cpu_modes_matter(&cpu->pmu))
        modes_unknown();
}

/* Whether QEMU hides which CPU a call is about; says so once. */
static bool cpus_unknown(void)
{
    static bool said;

    if (!emu.shared_thread || emu.cpus_known)
        return false;
    if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
        fprintf(stderr, "qpmu: where CPUs share a thread (-icount, thread=single) this QEMU does "
                        "not tell them apart: nothing is counted\n");
    return true;
}

void hypercall_announced(unsigned int index, void *unused)
{
    (void)unused;
    vcpu_of(index)->announced = true;
}

/* The guest wrote 0 where it wants its slot, or the ring that its slot has announced. What QEMU 7.2
 * reports here besides (level.c) was not announced. */
void hypercall_made(unsigned int index, emu_access info, uint64_t address, void *unused)
{
    struct vcpu *cpu = vcpu_of(index);
    uint64_t physical, place;
    struct qpmu_slot *slot;

    (void)unused;
    if (cpus_unknown() || !cpu->announced)
        return;
    cpu->announced = false;
    if (!emu_access_ram(info, address, &physical) || !page_open())
        return;
    if (!page_prove(physical, address) || !page_place(physical, &place)) {
        page_complain(physical);
        return;
    }
    reset_look(cpu);
    if (ring_expected(&cpu->ring)) {
        ring_move(&cpu->ring, place);
        if (cpu->ring.callers)
            level_ask_calls();
        return;
    }
    if (ring_expects_stack(&cpu->ring)) {
        calls_told(place);
        return;
    }
    if (!page_slot(place)) {
        page_complain(physical);
        return;
    }
    slot = page_slot(place);
    if (page_get32(&slot->magic) != 0)
        return;
    ring_open(&cpu->ring, slot);
    reset_kind(cpu);
    snapshot_hypercall(cpu);
    page_set32(&slot->version, QPMU_VERSION);
    page_set32(&slot->cpu, index);
    mode_known(cpu);
    page_set32(&slot->features, (cpu->pmu.kind == QPMU_R10K_3X ? QPMU_REV_3X : 0) |
                                    (interrupt_there() ? QPMU_INTERRUPTS : 0) |
                                    (mode_is_known() ? QPMU_MODES : 0) | QPMU_OWN_RINGS |
                                    (level_can_call() ? QPMU_CALLERS : 0));
    page_set32(&slot->again, 0);
    ring_tell(&cpu->ring, level_events(), level_calls());
    page_set32(&slot->magic, QPMU_MAGIC);
}
