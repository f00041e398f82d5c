/* SPDX-License-Identifier: BSD-2-Clause */
/* Progress through a block (vcpu.h): what is asked of QEMU at its translation. */
#include "tools/qpmu/plugin/marks.h"

#include "tools/qpmu/plugin/level.h"

static struct emu_words *marks;

static bool everywhere;

bool marks_everywhere(void)
{
    return everywhere;
}

struct emu_words *marks_words(void)
{
    return marks;
}

void marks_begin(bool all)
{
    everywhere = all;
    marks = emu_words_new();
}

void marks_of(struct vcpu *cpu, bool begins)
{
    uint64_t *words = emu_word_of(marks, cpu->index);

    if (begins && words != cpu->words) {
        for (unsigned i = 0; i < EMU_WORDS; i++)
            words[i] = cpu->words[i];
    }
    cpu->words = words;
}

/* The number of accesses by whose success the last instruction is known to be done; 0 where it may
 * be done without. */
static unsigned last_accesses(const struct step *last)
{
    if (last->insn.flags & (QPMU_INSN_REP | QPMU_INSN_SC | QPMU_INSN_NEVER_GRADUATES) ||
        last->returns || last->privileged)
        return 0;
    return !!(last->insn.flags & QPMU_INSN_LOAD) + !!(last->insn.flags & QPMU_INSN_STORE);
}

/* Whether there is an instruction that QEMU may execute alone. (A jump that accesses memory is left
 * out: it would cost a mark in each block that ends with a ret.) */
static bool may_be_left(const struct block *block)
{
    for (unsigned i = 0; i < block->count; i++) {
        uint32_t flags = block->steps[i].insn.flags;

        if (flags & (QPMU_INSN_ACCESS | QPMU_INSN_UNKNOWN) &&
            (i + 1u < block->count || !(flags & QPMU_INSN_JUMP)))
            return true;
    }
    return block_crosses(block);
}

/* Whether the block's end may lead into the block. */
static bool may_loop(const struct block *block)
{
    const struct step *last = &block->steps[block->count - 1], *branch = last;
    const uint32_t flow = QPMU_INSN_COND_BRANCH | QPMU_INSN_JUMP;

    if (mips && block->count >= 2 && last[-1].insn.flags & QPMU_INSN_DELAY_SLOT)
        branch = last - 1;
    if (!(branch->insn.flags & flow))
        return false;
    if (!(branch->insn.flags & QPMU_INSN_TARGET))
        return true;
    return branch->insn.target - block->pc < block->next_pc - block->pc;
}

/* What QEMU executes alone, behind a block that it left for that, is a block of one instruction; of
 * one that accesses a device under -icount only the accesses are seen. So they make marks. */
static void ask_alone(struct block *block, struct qemu_plugin_tb *translation)
{
    unsigned accesses = last_accesses(&block->steps[0]);

    block->alone = true;
    block->marks = accesses * MARK_LAST;
    emu_add_access(emu_insn_at(translation, 0), EMU_ACCESSES, marks, block->user, MARK_LAST);
}

static void ask_by_place(struct block *block, struct qemu_plugin_tb *translation)
{
    block->by_place = true;
    if (block->inlined && block->count == 1 &&
        block->steps[0].insn.flags & (QPMU_INSN_ACCESS | QPMU_INSN_UNKNOWN))
        ask_alone(block, translation);
    if (!may_be_left(block))
        return;
    block->loops = may_loop(block);
    if (!block->loops) {
        block->inside = block->next_pc - block->pc;
        return;
    }
    block->marks += MARK_PASSED;
    emu_add_insn(emu_insn_at(translation, block->count - 1u), marks, block->user, MARK_PASSED);
}

void marks_ask(struct block *block, struct qemu_plugin_tb *translation, enum qpmu_level level)
{
    struct step *last = &block->steps[block->count - 1];
    unsigned accesses = last_accesses(last);

    if (!everywhere) {
        ask_by_place(block, translation);
        return;
    }
    for (unsigned i = 0; i + 1u < block->count; i++) {
        struct qemu_plugin_insn *behind = emu_insn_at(translation, i + 1);

        if (!(block->steps[i].insn.flags & QPMU_INSN_MAY_FAULT))
            continue;
        block->steps[i].marked = true;
        block->marks += MARK_PASSED;
        emu_add_insn(behind, marks, block->user, MARK_PASSED);
    }
    if (accesses && last->leaves && (level >= QPMU_LEVEL_DATA || !leaving_heard(level))) {
        /* memory_leaving marks; where it is not called there is no mark. */
        block->last_marked = leaving_heard(level);
        block->marks += block->last_marked ? accesses * MARK_LAST : 0;
    } else if (accesses) {
        struct qemu_plugin_insn *it = emu_insn_at(translation, block->count - 1u);

        block->last_marked = true;
        block->marks += accesses * MARK_LAST;
        emu_add_access(it, EMU_ACCESSES, marks, block->user, MARK_LAST);
    }
}
