/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far a block came. QEMU leaves one early for an exception; and, without one, to execute an
 * instruction alone: a device access under -icount (unseen), a store into the block itself, an
 * atomic operation that it cannot do otherwise, an x86 instruction that crosses into another page.
 *
 * Where QEMU tells of discontinuities, it says at which instruction an exception arose, and in the
 * other cases control goes on inside the block; but a block may also branch to its own inside, so
 * such a one has a mark at its last instruction (`loops`). Where it does not, marks behind each
 * instruction that may fault tell (vcpu.h).
 */
#include "tools/qpmu/plugin/progress.h"

#include "tools/qpmu/plugin/flow.h"
#include "tools/qpmu/plugin/gate.h"
#include "tools/qpmu/plugin/word.h"

/* The instruction of the block behind which the Nth MARK_PASSED stands, N from 0. */
static unsigned marked_step(const struct block *block, uint32_t n)
{
    for (unsigned i = 0; i < block->count; i++)
        if (block->steps[i].marked && n-- == 0)
            return i;
    return block->count;
}

/* Whether the block's last instruction, which tells nothing by a mark, seems to have faulted:
 * control did not go behind it. A privileged one does so in user mode only. */
static bool may_have_stopped(const struct vcpu *cpu, const struct step *last,
                             const struct arrival *to)
{
    if (mips && last->insn.flags & QPMU_INSN_NEVER_GRADUATES)
        return flow_in_slot(cpu, last->block) && to->vector;
    if (last->leaves && !(last->insn.flags & QPMU_INSN_UNKNOWN))
        return false; /* flow.c */
    if (to->interrupt ||
        (!mips && !(last->insn.flags & QPMU_INSN_UNKNOWN) && gate_is_known(to->pc)))
        return false;
    if (!step_unsure(last) || progress_same(to->pc, last->block->next_pc))
        return false;
    if (last->privileged)
        return mips ? cpu->pmu.mode == QPMU_MODE_U || cpu->pmu.mode == QPMU_MODE_S
                    : last->block->user && !to->user; /* else it is firmware: far jumps, rsm */
    return !mips || to->vector;
}

static unsigned by_marks(const struct vcpu *cpu, const struct block *block,
                         const struct arrival *to, bool *faulted)
{
    uint64_t passed = word_marks(cpu) % MARK_LAST, last = word_marks(cpu) / MARK_LAST;
    const struct step *end = &block->steps[block->count - 1];
    unsigned stopped;

    if (block->ends & END_PAGE && to->pc == end->pc)
        return block->count - 1u;
    if (passed < block->marks % MARK_LAST)
        stopped = marked_step(block, (uint32_t)(passed / MARK_PASSED));
    else if (block->last_marked ? last < block->marks / MARK_LAST : may_have_stopped(cpu, end, to))
        stopped = block->count - 1u;
    else
        return block->count;
    if (stopped < cpu->start)
        return block->count; /* its entry was not seen, and so its marks tell nothing */
    if (stopped + 1u < block->count && to->pc == block->steps[stopped + 1].pc)
        return stopped + 1;
    if (&block->steps[stopped] == end && to->pc == block->next_pc &&
        !flow_slot_skippable(cpu, block, stopped))
        return block->count;
    *faulted = to->pc != block->steps[stopped].pc;
    return stopped;
}

/* The instruction of the block at PC, or `count`: an exception's is found in another mapping of the
 * code, too. */
static unsigned step_at(const struct vcpu *cpu, const struct block *block, const struct arrival *to)
{
    for (unsigned i = cpu->start; i < block->count; i++)
        if (to->exception ? progress_same(block->steps[i].pc, to->pc)
                          : block->steps[i].pc == to->pc)
            return i;
    return block->count;
}

/* Whether an x86 instruction can itself raise an exception; a MIPS' delay slot tells by its branch.
 */
static bool may_raise(const struct step *step)
{
    return mips || step->insn.flags & (QPMU_INSN_MAY_FAULT | QPMU_INSN_ACCESS | QPMU_INSN_JUMP |
                                       QPMU_INSN_PRIVILEGED | QPMU_INSN_UNKNOWN);
}

static unsigned by_place(const struct vcpu *cpu, const struct block *block,
                         const struct arrival *to, bool *faulted)
{
    unsigned at = step_at(cpu, block, to), last = block->count - 1u;
    bool reached = block->count == 1 || word_marks(cpu) % MARK_LAST >= block->marks % MARK_LAST;

    if (at > last)
        return block->count;
    if (to->exception && at != last && !may_raise(&block->steps[at]))
        return block->count; /* the fetch behind a branch to there did: a breakpoint */
    if (to->exception) {
        /* Unless it was the fetch behind a branch to there, or is what the instruction is for. */
        if (block->steps[at].traps || (block->loops && reached && at != last))
            return block->count;
        *faulted = true;
        return at;
    }
    if (block->loops ? reached : block->inside == 0)
        return block->count;
    return at == last && block->ends & END_REP ? block->count : at;
}

unsigned progress_of(const struct vcpu *cpu, const struct block *block, const struct arrival *to,
                     bool *faulted)
{
    *faulted = false;
    return block->by_place ? by_place(cpu, block, to, faulted) : by_marks(cpu, block, to, faulted);
}
