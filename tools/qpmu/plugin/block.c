/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * At translation a block's instructions are decoded, once, and callbacks are asked for as the level
 * wants it. Blocks are forgotten all together, when QEMU forgets its translations.
 */
#include "tools/qpmu/plugin/block.h"

#include "tools/qpmu/plugin/calls.h"
#include "tools/qpmu/plugin/entry.h"
#include "tools/qpmu/plugin/flow.h"
#include "tools/qpmu/plugin/halt.h"
#include "tools/qpmu/plugin/level.h"
#include "tools/qpmu/plugin/marks.h"
#include "tools/qpmu/plugin/memory.h"
#include "tools/qpmu/plugin/mode.h"
#include "tools/qpmu/plugin/page.h"
#include "tools/qpmu/plugin/progress.h"
#include "tools/qpmu/plugin/registers.h"
#include "tools/qpmu/plugin/reset.h"
#include "tools/qpmu/plugin/room.h"
#include "tools/qpmu/plugin/settle.h"
#include "tools/qpmu/plugin/vcpu.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define FETCH_LINE 64u
#define HYPERCALLS 16u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* CPUs translate at the same time */
static struct block *blocks;
/* Addresses behind a hypercall's no-op: the latest. They outlive the blocks. */
static uint64_t hypercalls[HYPERCALLS];
static unsigned hypercall_count;

/* tlbwi, tlbwr, tlbinv, tlbinvf; mtc0 or dmtc0 to EntryHi. */
static bool remaps_mips(uint32_t word)
{
    if (word >> 26 != 0x10)
        return false;
    if (word >> 25 & 1)
        return (word & 0x3f) == 2 || (word & 0x3f) == 3 || (word & 0x3f) == 4 || (word & 0x3f) == 6;
    return (word >> 22 & 7) == 2 && (word >> 11 & 31) == 10;
}

/* swl, sdl, sdr, swr. */
static bool stores_part(uint32_t word)
{
    return word >> 26 == 0x2a || (word >> 26 >= 0x2c && word >> 26 <= 0x2e);
}

/* mov to a control register, invlpg, invpcid, with whatever prefixes. */
static bool remaps_x86(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i + 2 < length && i < 4; i++)
        if (bytes[i] == 0x0f)
            return bytes[i + 1] == 0x22 || (bytes[i + 1] == 0x01 && (bytes[i + 2] >> 3 & 7) == 7) ||
                   (bytes[i + 1] == 0x38 && bytes[i + 2] == 0x82);
    return false;
}

static void decode(struct step *step, const struct qemu_plugin_insn *instruction,
                   enum qpmu_code code, bool last)
{
    size_t length = emu_insn_size(instruction);
    uint8_t bytes[EMU_LONGEST];

    emu_insn_bytes(instruction, bytes);
    step->pc = emu_insn_address(instruction);
    if (mips) {
        uint32_t word = 0;

        /* Compressed code is nothing that the decoder knows: it is a no-op for it. */
        for (size_t i = 0; i < 4 && length >= 4; i++) /* 8 with a slot that QEMU leaves out */
            word |= (uint32_t)bytes[i] << 8 * (big ? 3 - i : i);
        qpmu_decode_mips(word, step->pc, &step->insn);
        step->insn.length = (uint8_t)(length < 4 ? length : 4);
        step->rt = word >> 16 & 31;
        step->returns = step->insn.flags & QPMU_INSN_ERET;
        step->remaps = remaps_mips(word);
        step->privileged = word >> 26 == 0x10 || word >> 26 == 0x2f; /* COP0, CACHE */
        step->by_helper = stores_part(word);
        step->enters = word >> 26 == 0 && (word & 0x3f) == 0x0c;
    } else {
        qpmu_decode_x86(bytes, length < 15 ? length : 15, code, step->pc, &step->insn);
        step->traps = bytes[0] == 0xcc || bytes[0] == 0xcd || bytes[0] == 0xf1; /* int, icebp */
        step->returns = length <= 2 && bytes[length - 1] == 0xcf;
        step->enters =
            bytes[0] == 0xcd || (bytes[0] == 0x0f && (bytes[1] == 0x05 || bytes[1] == 0x34));
        step->remaps = remaps_x86(bytes, length);
        step->leaves =
            last && !emu.access_ends && step->insn.flags & QPMU_INSN_ACCESS && !step->returns;
        /* What may fault and accesses no memory is a division, or privileged. */
        step->privileged = !(step->insn.flags & QPMU_INSN_ACCESS) &&
                           !((bytes[0] & 0xf0) == 0x40 && (bytes[1] & 0xfe) == 0xf6) &&
                           (bytes[0] & 0xfe) != 0xf6;
    }
    /* Users may not execute it. A MIPS' are below, where its kernel seldom is. */
    if (step->insn.flags & QPMU_INSN_PRIVILEGED && (mips ? step->pc >> 63 == 0 : step->block->user))
        step->insn.flags |= QPMU_INSN_MAY_FAULT;
}

/* Why the block's end needs attention. */
static unsigned ends_of(struct block *block, enum qpmu_level level)
{
    const struct step *last = &block->steps[block->count - 1];
    const struct step *branch = last;
    unsigned ends = 0;

    if (mips && block->count >= 2 && (last[-1].insn.flags & QPMU_INSN_DELAY_SLOT))
        branch = last - 1;
    if (last->insn.flags & QPMU_INSN_REP)
        ends |= END_REP;
    if (last->insn.flags & QPMU_INSN_DELAY_SLOT)
        ends |= END_NO_SLOT;
    else if (branch->insn.flags & QPMU_INSN_LIKELY)
        ends |= END_LIKELY;
    else if (level >= QPMU_LEVEL_DATA && branch->insn.flags & QPMU_INSN_COND_BRANCH) {
        ends |= END_PREDICTED;
        block->branch_pc = branch->pc;
        block->branch_index = flow_branch_index(branch->pc);
        block->target = branch->insn.target;
        if (progress_same(block->target, block->next_pc))
            block->pc_mask = ~0ull;
    }
    if (block_crosses(block))
        ends |= END_PAGE;
    if (last->returns)
        ends |= END_RETURN;
    if (last->insn.flags & QPMU_INSN_HALT)
        ends |= END_HALT;
    if (!block->by_place && !block->last_marked && step_unsure(last))
        ends |= END_UNSURE;
    if (branch != last && last->insn.flags & QPMU_INSN_NEVER_GRADUATES)
        ends |= END_UNSURE; /* nor does the branch, to which the guest goes back */
    return ends;
}

static void add_lines(struct block *block, struct qemu_plugin_tb *translation)
{
    uint64_t before = ~0ull, place;

    block->lines = calloc(block->count * 2u, sizeof(*block->lines));
    for (unsigned i = 0; block->lines && i < block->count; i++) {
        const struct qemu_plugin_insn *instruction = emu_insn_at(translation, i);
        uint64_t pc = block->steps[i].pc, end = pc + block->steps[i].insn.length - 1;

        if (!page_host_place(emu_insn_place(instruction), &place))
            continue;
        for (; pc <= end; place += FETCH_LINE - pc % FETCH_LINE, pc += FETCH_LINE - pc % FETCH_LINE)
            if (pc / FETCH_LINE != before) {
                before = pc / FETCH_LINE;
                fetch_prepare(&block->lines[block->line_count++], place, pc);
            }
    }
}

/* So that no earlier instruction's callback is called (level.c). */
static void not_modelled(unsigned int index, emu_access info, uint64_t address, void *unused)
{
    (void)index;
    (void)info;
    (void)address;
    (void)unused;
}

/* LL and SC, and with models all accesses. */
static void ask_accesses(struct block *block, struct qemu_plugin_tb *translation,
                         enum qpmu_level level)
{
    for (unsigned i = 0; i < block->count; i++) {
        struct qemu_plugin_insn *it = emu_insn_at(translation, i);
        struct step *step = &block->steps[i];
        emu_access_call *accessed = NULL;

        if (step->insn.flags & QPMU_INSN_SC) {
            emu_call_insn(it, sc_begins, step);
            accessed = memory_conditional;
        } else if (step->insn.flags & QPMU_INSN_LL)
            accessed = memory_linked;
        else if (step->leaves)
            accessed = level >= QPMU_LEVEL_DATA && leaving_heard(level) ? memory_leaving : NULL;
        else if (level >= QPMU_LEVEL_DATA &&
                 step->insn.flags & (QPMU_INSN_ACCESS | QPMU_INSN_UNKNOWN))
            accessed = memory_callback(step);
        else if (step->by_helper)
            accessed = not_modelled;
        if (accessed)
            emu_call_access(it, EMU_ACCESSES, accessed, step);
    }
}

static void ask_registers(struct block *block, struct qemu_plugin_tb *translation,
                          enum qpmu_level level)
{
    for (unsigned i = 0; i < block->count; i++) {
        struct qemu_plugin_insn *it = emu_insn_at(translation, i);
        struct step *step = &block->steps[i];
        uint32_t flags = step->insn.flags;
        emu_call *executed = NULL;

        if (flags & (QPMU_INSN_MFC0_PERF | QPMU_INSN_RDMSR))
            executed = direct_is_on() ? NULL : register_read;
        else if (flags & (QPMU_INSN_MTC0_PERF | QPMU_INSN_WRMSR))
            executed = direct_is_on() ? NULL : register_written;
        else if (flags & QPMU_INSN_HALT && halt_waits())
            executed = halt_begins;
        else if (flags & QPMU_INSN_HALT && level_goes_down() && level > QPMU_LEVEL_REGISTERS)
            executed = level_halts;
        else if (flags & QPMU_INSN_ERET)
            executed = mode_eret;
        else if (flags & QPMU_INSN_MTC0_STATUS) {
            emu_call_reading(it, mode_mtc0, step);
        } else if (step->remaps && (level >= QPMU_LEVEL_DATA || level_calls()))
            executed = memory_remapped;
        if (executed)
            emu_call_insn(it, executed, step);
    }
}

static bool is_behind_hypercall(uint64_t pc)
{
    for (unsigned i = 0; i < hypercall_count && i < HYPERCALLS; i++)
        if (hypercalls[i] == pc)
            return true;
    return false;
}

/* The store behind a hypercall's no-op: the next in its block, or the first of one of its own. If
 * it crosses a page, QEMU 7.2 shows it in both, and executes it in the second. */
static void ask_hypercalls(struct block *block, struct qemu_plugin_tb *translation)
{
    uint64_t behind;

    if (is_behind_hypercall(block->pc))
        emu_call_access(emu_insn_at(translation, 0), EMU_STORES, hypercall_made, NULL);
    for (unsigned i = 0; i < block->count; i++) {
        if (!(block->steps[i].insn.flags & QPMU_INSN_HYPERCALL))
            continue;
        emu_call_insn(emu_insn_at(translation, i), hypercall_announced, NULL);
        behind = block->steps[i].pc + block->steps[i].insn.length;
        if (i + 1u < block->count)
            emu_call_access(emu_insn_at(translation, i + 1), EMU_STORES, hypercall_made, NULL);
        if (!is_behind_hypercall(behind))
            hypercalls[hypercall_count++ % HYPERCALLS] = behind;
    }
}

static void sum_up(struct block *block)
{
    const struct step *last = &block->steps[block->count - 1];

    for (unsigned event = 0; event < STATIC_EVENTS; event++)
        for (unsigned i = 0; i < block->count; i++)
            block->total[event] += step_adds(&block->steps[i], (enum qpmu_event)event);
    block->sum = room_of(block->total[QPMU_INSTRUCTIONS], block->total[QPMU_CYCLES]);
    block->most =
        block->sum - room_of(step_adds(last, QPMU_INSTRUCTIONS), step_adds(last, QPMU_CYCLES));
}

static struct block *make_block(struct qemu_plugin_tb *translation)
{
    size_t count = emu_insn_count(translation);
    struct block *block = calloc(1, sizeof(*block) + count * sizeof(block->steps[0]));
    const struct step *last;
    uint64_t pc = emu_insn_address(emu_insn_at(translation, 0));
    enum qpmu_code code = mips ? QPMU_CODE_64 : mode_of_code(pc);

    if (!block || count == 0 || count > UINT16_MAX) {
        free(block);
        return NULL;
    }
    block->count = (uint16_t)count;
    block->user = mode_is_user(pc);
    for (unsigned i = 0; i < count; i++) {
        struct step *step = &block->steps[i];

        step->block = block;
        step->index = (uint16_t)i;
        decode(step, emu_insn_at(translation, i), code, i + 1u == count);
    }
    block->pc = block->steps[0].pc;
    last = &block->steps[count - 1];
    block->next_pc = last->pc + last->insn.length + last->insn.skips;
    block->pc_mask = emu.relative ? 0xfff : ~0ull;
    return block;
}

/* The block is needed later only if one of its instructions, or every block, is watched. */
void block_translated(struct qemu_plugin_tb *translation)
{
    enum qpmu_level level = level_now();
    struct block *block;

    mode_translates(emu_insn_address(emu_insn_at(translation, 0)));
    block = make_block(translation);
    if (!block)
        return;
    pthread_mutex_lock(&lock);
    block->older = blocks;
    blocks = block;
    ask_hypercalls(block, translation);
    pthread_mutex_unlock(&lock);
    block->begins = (uint16_t)mode_begins(block->pc);
    reset_ask(block, translation);
    direct_ask(block, translation);
    if (level == QPMU_LEVEL_REGISTERS) {
        if (block->begins & BEGIN_VECTOR)
            emu_call_insn(emu_insn_at(translation, 0), mode_vector, NULL);
    } else {
        if (level >= QPMU_LEVEL_DATA) {
            block->begins |= BEGIN_FETCH;
            add_lines(block, translation);
        }
        sum_up(block);
        block->inlined = entry_inlined(level) && !block->begins;
        marks_ask(block, translation, level);
        block->ends = (uint16_t)ends_of(block, level);
        block->charge = word_charge(block, (block->ends & ~END_PREDICTED) == 0);
        entry_ask(block, translation);
        ask_accesses(block, translation, level);
    }
    if (level_calls())
        calls_ask(block, translation);
    ask_registers(block, translation, level);
}

/* A CPU's last block is still to be settled: it keeps a copy. */
static void keep(struct vcpu *cpu)
{
    struct block *old = cpu->kept;
    const struct block *block = block_now(cpu);
    size_t size;

    cpu->sc = NULL;
    word_closer(cpu);
    if (block == &no_block || block == old)
        return;
    size = sizeof(*old) + block->count * sizeof(old->steps[0]);
    cpu->kept = malloc(size);
    if (cpu->kept) {
        memcpy(cpu->kept, block, size);
        cpu->kept->lines = NULL;
        cpu->kept->line_count = 0;
        for (unsigned i = 0; i < cpu->kept->count; i++)
            cpu->kept->steps[i].block = cpu->kept;
    }
    if (cpu->kept)
        block_set(cpu, cpu->kept);
    else
        word_leave(cpu, &no_block);
    free(old);
}

void blocks_forgotten(void)
{
    for (unsigned i = 0; i < vcpu_count; i++) {
        keep(&vcpus[i]);
    }
    while (blocks) {
        struct block *block = blocks;

        blocks = block->older;
        free(block->lines);
        free(block);
    }
}
