/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A block's entry. Where the word (word.h) says that all before ran to its end and is counted, the
 * entry takes the block's charge from it and makes the block the CPU's; else it is settled. Since
 * QEMU 9.1 translated code compares, takes and stores, and calls only to settle. It does not know
 * the block before, so there each block that may be left early says at its end that it was not
 * (marks.c). Before 9.1, or with models of fetches and branches, each entry is a call.
 */
#include "tools/qpmu/plugin/entry.h"

#include "tools/qpmu/plugin/flow.h"
#include "tools/qpmu/plugin/marks.h"
#include "tools/qpmu/plugin/memory.h"
#include "tools/qpmu/plugin/settle.h"
#include "tools/qpmu/plugin/word.h"

/* In blocks whose every entry has more to do than the word says. */
static void entered_watched(unsigned int index, void *next)
{
    settle_enter(vcpu_of(index), next);
}

/* Behind the call the translated code charges the block, as it does without one. */
static void entered_inlined(unsigned int index, void *next)
{
    struct vcpu *cpu = vcpu_of(index);

    settle_enter(cpu, next);
    *word_of(cpu) += ((const struct block *)next)->charge;
}

/* The block before ran to its end, with nothing to be seen to; false if so much cannot be said.
 * USER: the next one's. */
static inline bool plainly_ended(struct vcpu *cpu, const struct block *next, bool user,
                                 bool by_place)
{
    uint64_t word = cpu->words[user];

    if (__builtin_expect(word >= WORD_LOOK, 0) ||
        (by_place && __builtin_expect(block_reaches(block_now(cpu), next), 0)))
        return false;
    cpu->words[user] = word - next->charge;
    block_set(cpu, next);
    return true;
}

/* One of several CPUs, or the only one; blocks whose progress is known by place, or by marks. */
static void entered_one(unsigned int index, void *next)
{
    struct vcpu *cpu = vcpu_of(index);

    if (!plainly_ended(cpu, next, ((const struct block *)next)->user, true))
        settle_enter(cpu, next);
}

static void entered_one_marked(unsigned int index, void *next)
{
    struct vcpu *cpu = vcpu_of(index);

    if (!plainly_ended(cpu, next, ((const struct block *)next)->user, false))
        settle_enter(cpu, next);
}

#define ENTERED_ONLY(name, user, by_place)                                                         \
    static void name(unsigned int index, void *next)                                               \
    {                                                                                              \
        (void)index;                                                                               \
        if (!plainly_ended(&vcpus[0], next, user, by_place))                                       \
            settle_enter(&vcpus[0], next);                                                         \
    }

ENTERED_ONLY(entered_only, false, true)
ENTERED_ONLY(entered_only_user, true, true)
ENTERED_ONLY(entered_only_marked, false, false)
ENTERED_ONLY(entered_only_user_marked, true, false)

/* The same with the models of fetches and branches. */
static inline void modelled(struct vcpu *cpu, const struct block *next, bool only)
{
    const struct block *block = block_now(cpu);
    bool taken = ((next->pc ^ block->target) & block->pc_mask) == 0;

    if (__builtin_expect((block->ends != 0) & !taken &
                             (((next->pc ^ block->next_pc) & block->pc_mask) != 0),
                         0) ||
        !plainly_ended(cpu, next, next->user, true)) {
        settle_enter(cpu, next);
        return;
    }
    if (block->ends) {
        cpu->pmu.raw[QPMU_BRANCH_MISSES] +=
            qpmu_predictor_branch(&cpu->predictor, block->branch_index, taken);
        check_limit(cpu, QPMU_BRANCH_MISSES, block->branch_pc);
    }
    if (only)
        fetch_only(cpu, next);
    else
        fetch_lines(cpu, next);
}

static void __attribute__((noinline)) fetched_one(struct vcpu *cpu, const struct block *next)
{
    modelled(cpu, next, false);
}

static void __attribute__((noinline)) fetched_only(const struct block *next)
{
    modelled(&vcpus[0], next, true);
}

/* In blocks made for all models, which may not all run. */
static void modelled_one(unsigned int index, void *next)
{
    if (level_fetches())
        fetched_one(vcpu_of(index), next);
    else
        entered_one(index, next);
}

static void modelled_only(unsigned int index, void *next)
{
    (void)index;
    if (level_fetches())
        fetched_only(next);
    else if (!plainly_ended(&vcpus[0], next, ((const struct block *)next)->user, true))
        settle_enter(&vcpus[0], next);
}

static emu_call *entry_call(const struct block *block)
{
    if (level_steps() || block->alone || block->begins & ~BEGIN_FETCH)
        return entered_watched;
    if (block->begins)
        return one_vcpu ? modelled_only : modelled_one;
    if (!one_vcpu)
        return marks_everywhere() ? entered_one_marked : entered_one;
    if (marks_everywhere())
        return block->user ? entered_only_user_marked : entered_only_marked;
    return block->user ? entered_only_user : entered_only;
}

bool entry_inlined(enum qpmu_level level)
{
    return level < QPMU_LEVEL_DATA && emu_enters_inline(marks_words());
}

void entry_ask(const struct block *block, struct qemu_plugin_tb *translation)
{
    if (!block->inlined || block->alone) {
        emu_call_block(translation, entry_call(block), (void *)(uintptr_t)block);
        return;
    }
    emu_call_block_from(translation, marks_words(), block->user, WORD_LOOK, entered_inlined,
                        (void *)(uintptr_t)block);
    if (level_steps()) /* there may not be enough room for it: settle_enter looks */
        emu_call_block_below(translation, marks_words(), block->user,
                             (block->sum >> 32) << WORD_CYCLES, entered_inlined,
                             (void *)(uintptr_t)block);
    emu_add_block(translation, marks_words(), block->user, -block->charge);
    emu_store_block(translation, marks_words(), BLOCK_WORD, (uintptr_t)block);
}
