/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An overflow interrupts behind the instruction that overflowed and before the next one. So where a
 * limit lies in the block that begins, its instructions are counted one at a time as they come, and
 * at the one behind the limit the block is left, with the interrupt raised. Between two blocks QEMU
 * delivers what else is due first: so if it is the block's last instruction that will overflow, the
 * interrupt is raised ahead of it, and takes its turn where the block ends.
 */
#include "tools/qpmu/plugin/watch.h"

#include "tools/qpmu/plugin/direct.h"
#include "tools/qpmu/plugin/level.h"
#include "tools/qpmu/plugin/marks.h"
#include "tools/qpmu/plugin/patch.h"
#include "tools/qpmu/plugin/registers.h"
#include "tools/qpmu/plugin/room.h"
#include "tools/qpmu/plugin/settle.h"

#include <inttypes.h>
#include <stdio.h>

/* How often an interrupt was raised at its instruction, and how often later. */
static uint64_t exact, late;

static bool in_slot(const struct vcpu *cpu, const struct step *step)
{
    if (step->index == 0)
        return cpu->carried != NULL;
    return mips && step[-1].insn.flags & QPMU_INSN_DELAY_SLOT;
}

/* Where a block begins nothing has to be unwound. */
static bool may_leave(const struct step *step)
{
    return step->index == 0 || mips || emu_unwinds();
}

void watch_leave(struct vcpu *cpu, const struct step *step, uintptr_t code)
{
    uint64_t pc = step->pc;

    emu_unwind(cpu->index, code);
    if (!mips && !patch_pc(&pc))
        return;
    word_leave(cpu, &no_block);
    cpu->start = 0;
    emu_set_pc(pc);
}

static void interrupt(struct vcpu *cpu, const struct step *step, uintptr_t code)
{
    bool delayed;

    /* A MIPS' delay slot is not parted from its branch: it would be executed again. */
    if (in_slot(cpu, step)) {
        cpu->direct.due_at++; /* so it has to be one later */
        return;
    }
    if (!may_leave(step))
        return;
    cpu->direct.interrupt_due = false;
    *watch_of(cpu) &= ~(uint64_t)WATCH_INTERRUPT;
    settle_before(cpu, step);
    if (!direct_raise(cpu))
        return;
    room_take(cpu);
    delayed = cpu->pmu.raw[QPMU_INSTRUCTIONS] != cpu->direct.due_at;
    room_give(cpu);
    __atomic_add_fetch(delayed ? &late : &exact, 1, __ATOMIC_RELAXED);
    watch_leave(cpu, step, code);
}

/* The CPU comes back to STEP until what it waits for is there: QEMU stops it on the way, for that.
 */
static void wait(struct vcpu *cpu, const struct step *step, uintptr_t code)
{
    if (in_slot(cpu, step) || !may_leave(step))
        return;
    if (level_now() != QPMU_LEVEL_REGISTERS)
        settle_before(cpu, step);
    watch_leave(cpu, step, code);
}

/* Only calls of QEMU's code: interrupt() looks where they come from. */
static void __attribute__((noinline)) reached(unsigned int index, void *arg)
{
    uintptr_t code = (uintptr_t)__builtin_return_address(0);
    struct vcpu *cpu = vcpu_of(index);
    const struct step *step = arg;
    uint64_t why = *watch_of(cpu);

    if (why == 0)
        return;
    if (why & WATCH_PATCH)
        patch_apply(cpu);
    if (why & WATCH_WRITE && !direct_write_again(cpu, step))
        wait(cpu, step, code);
    if (why & WATCH_FREEZE)
        direct_freeze(cpu);
    if (why & WATCH_STEPS)
        settle_before(cpu, step);
    if (*watch_of(cpu) & WATCH_INTERRUPT)
        interrupt(cpu, step, code);
    else if (why & WATCH_STEPS && step->index + 1u == step->block->count &&
             direct_raise_ahead(cpu, step))
        __atomic_add_fetch(&exact, 1, __ATOMIC_RELAXED);
}

void watch_ask(struct qemu_plugin_insn *insn, const struct step *step)
{
    emu_call_insn_if(insn, marks_words(), WATCH_WORD, reached, (void *)(uintptr_t)step);
}

void watch_block(struct vcpu *cpu, const struct block *next)
{
    bool within;

    if (((cpu->room - next->sum) & ROOM_SIGNS) != 0)
        room_give(cpu);
    within = ((cpu->room - next->sum) & ROOM_SIGNS) != 0;
    for (unsigned a = 0; a < cpu->extra_count; a++) {
        enum qpmu_event event = cpu->active[a];

        within |= cpu->pmu.raw[event] + next->total[event] >= cpu->pmu.limit[event];
    }
    if (within)
        watch_set(cpu, WATCH_STEPS);
    else
        *watch_of(cpu) &= ~(uint64_t)WATCH_STEPS;
}

void watch_ended(void)
{
    if (late > 0)
        fprintf(stderr,
                "qpmu: %" PRIu64 " of %" PRIu64
                " overflows interrupted some instructions late, since this QEMU does not let a "
                "plugin leave a block anywhere\n",
                late, exact + late);
}
