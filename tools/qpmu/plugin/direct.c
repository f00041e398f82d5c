/* SPDX-License-Identifier: BSD-2-Clause */
/* The transparent mode, as far as it is the same for both machines. */
#include "tools/qpmu/plugin/direct.h"

#include "tools/qpmu/plugin/lapic.h"
#include "tools/qpmu/plugin/level.h"
#include "tools/qpmu/plugin/malta.h"
#include "tools/qpmu/plugin/mode.h"
#include "tools/qpmu/plugin/patch.h"
#include "tools/qpmu/plugin/registers.h"
#include "tools/qpmu/plugin/room.h"
#include "tools/qpmu/plugin/settle.h"
#include "tools/qpmu/plugin/watch.h"
#include "tools/qpmu/x86_msr.h"

#include <pthread.h>

#define NEAR (1ull << 26) /* events; room.h looks at least twice on the way */

static bool on;
static unsigned wanted_pin;
static pthread_once_t once = PTHREAD_ONCE_INIT;

void direct_begin(bool is_on, unsigned pin)
{
    on = is_on;
    wanted_pin = pin;
}

bool direct_is_on(void)
{
    return on;
}

bool direct_serves(const struct vcpu *cpu)
{
    return on && !cpu->ring.slot;
}

void direct_reset(struct vcpu *cpu)
{
    cpu->direct = (struct direct){0};
    *watch_of(cpu) = 0;
    if (on && mips)
        malta_reset(cpu);
}

/* --- overflows -------------------------------------------------------------------------------- */

void direct_overflowed(struct vcpu *cpu)
{
    if (!direct_serves(cpu))
        return;
    cpu->direct.due_at = cpu->pmu.raw[QPMU_INSTRUCTIONS];
    if (cpu->direct.due_at == cpu->direct.ahead_at) {
        watch_set(cpu, WATCH_FREEZE);
        return;
    }
    cpu->direct.interrupt_due = true;
    watch_set(cpu, WATCH_INTERRUPT);
}

void direct_freeze(struct vcpu *cpu)
{
    *watch_of(cpu) &= ~(uint64_t)WATCH_FREEZE;
    if (cpu->direct.debug_control & DIRECT_FREEZE) {
        room_take(cpu);
        registers_write(cpu, X86_MSR_GLOBAL_CTRL, 0);
    }
}

bool direct_raise(struct vcpu *cpu)
{
    if (mips)
        return malta_line(cpu);
    direct_freeze(cpu);
    return lapic_raise(cpu);
}

/* Whether STEP graduates whatever comes: it does nothing that can be refused. */
static bool is_sure(const struct step *step)
{
    const uint32_t unsure = QPMU_INSN_MAY_FAULT | QPMU_INSN_NEVER_GRADUATES | QPMU_INSN_ACCESS |
                            QPMU_INSN_PRIVILEGED | QPMU_INSN_HALT | QPMU_INSN_HYPERCALL;

    if (step->insn.flags & QPMU_INSN_JUMP)
        return !(step->insn.flags & unsure) && step->insn.flags & QPMU_INSN_TARGET;
    return !(step->insn.flags & unsure);
}

bool direct_raise_ahead(struct vcpu *cpu, const struct step *step)
{
    bool overflows = false;

    if (mips || !is_sure(step))
        return false;
    room_take(cpu);
    for (unsigned n = 0; n < cpu->pmu.counters; n++) {
        const struct qpmu_counter *counter = &cpu->pmu.counter[n];

        if (counter->interrupt && counter->running)
            overflows |= qpmu_counter_distance(
                             counter, qpmu_counter_value(counter, cpu->pmu.raw[counter->event])) <=
                         step_adds(step, (enum qpmu_event)counter->event);
    }
    if (overflows)
        cpu->direct.ahead_at = cpu->pmu.raw[QPMU_INSTRUCTIONS] + step_adds(step, QPMU_INSTRUCTIONS);
    room_give(cpu);
    return overflows && lapic_raise(cpu);
}

void direct_look(struct vcpu *cpu)
{
    bool near = false;

    for (unsigned n = 0; direct_serves(cpu) && n < cpu->pmu.counters; n++) {
        const struct qpmu_counter *counter = &cpu->pmu.counter[n];

        if (counter->interrupt && counter->enabled && counter->modes &&
            counter->event < QPMU_EVENTS)
            near |= qpmu_counter_distance(
                        counter, qpmu_counter_value(counter, cpu->pmu.raw[counter->event])) < NEAR;
    }
    __atomic_store_n(&cpu->direct.near, near, __ATOMIC_RELAXED);
    if (near)
        level_ask_steps();
}

/* --- registers -------------------------------------------------------------------------------- */

/* What CPU executes now would not be counted, or not interrupted at its instruction: another CPU
 * has asked for the same instrumentation, and it has not come yet. */
static bool waits(const struct vcpu *cpu)
{
    return cpu->direct.write_due || (cpu->direct.near && !level_steps());
}

static bool written(struct vcpu *cpu)
{
    if (!waits(cpu)) {
        *watch_of(cpu) &= ~(uint64_t)WATCH_WRITE;
        return true;
    }
    watch_set(cpu, WATCH_WRITE);
    return false;
}

bool direct_write(struct vcpu *cpu, uint32_t number, uint64_t value)
{
    struct direct *direct = &cpu->direct;

    direct->write_due = !registers_write(cpu, number, value);
    if (direct->write_due) {
        direct->number = number;
        direct->value = value;
    } else {
        direct_look(cpu);
        if (mips)
            malta_line(cpu);
    }
    return written(cpu);
}

bool direct_write_again(struct vcpu *cpu, const struct step *step)
{
    if (!cpu->direct.write_due)
        return written(cpu);
    registers_settle(cpu, step);
    return direct_write(cpu, cpu->direct.number, cpu->direct.value);
}

void direct_discontinuity(struct vcpu *cpu, bool exception, uint64_t from)
{
    if (on)
        patch_discontinuity(cpu, exception, from);
}

/* --- what is asked for ------------------------------------------------------------------------ */

static void find_registers(void)
{
    on = on && (!mips || mode_reads()) && patch_find();
    if (on && mips)
        malta_begin(wanted_pin);
}

void direct_ask(struct block *block, struct qemu_plugin_tb *translation)
{
    bool all = level_steps(), behind = true;

    if (!on)
        return;
    pthread_once(&once, find_registers);
    if (!mips)
        direct_x86_ask(block, translation);
    for (unsigned i = 0; on && i < block->count; i++) {
        struct qemu_plugin_insn *it = emu_insn_at(translation, i);
        struct step *step = &block->steps[i];
        emu_call *call = mips ? direct_mips_call(it) : direct_x86_call(step);

        if (behind || all)
            watch_ask(it, step);
        if (call)
            emu_call_writing(it, call, step);
        behind = call;
    }
}
