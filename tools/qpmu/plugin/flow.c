/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a block's end means depends on what comes next. A likely branch's delay slot graduates only
 * if the branch was taken; a repeated string instruction graduates when control passes to what is
 * behind it, since QEMU runs it as a block that jumps to itself; a conditional branch was predicted
 * or not. An interrupt may come just then: the decision waits until the guest comes back from it.
 */
#include "tools/qpmu/plugin/flow.h"

#include "tools/qpmu/plugin/gate.h"
#include "tools/qpmu/plugin/level.h"
#include "tools/qpmu/plugin/settle.h"
#include "tools/qpmu/plugin/word.h"

#include <string.h>

/* The branch that ends the block, its delay slot executed, or NULL. */
static const struct step *branch_of(const struct vcpu *cpu, const struct block *block)
{
    const struct step *last = &block->steps[block->count - 1];

    if (cpu->carried)
        return cpu->carried;
    if (!mips)
        return last;
    if (block->count >= 2 && (last[-1].insn.flags & QPMU_INSN_DELAY_SLOT))
        return &last[-1];
    return NULL;
}

static bool skippable(const struct step *branch)
{
    return branch && (branch->insn.flags & QPMU_INSN_LIKELY);
}

bool flow_slot_skippable(const struct vcpu *cpu, const struct block *block, unsigned stopped)
{
    return stopped + 1u == block->count && skippable(branch_of(cpu, block));
}

bool flow_in_slot(const struct vcpu *cpu, const struct block *block)
{
    return branch_of(cpu, block) != NULL;
}

unsigned flow_branch_index(uint64_t pc)
{
    return mips ? qpmu_predictor_index_mips(pc) : qpmu_predictor_index_x86(pc);
}

void flow_predict(struct vcpu *cpu, uint64_t pc, bool taken)
{
    if (qpmu_predictor_branch(&cpu->predictor, flow_branch_index(pc), taken))
        count_event(cpu, QPMU_BRANCH_MISSES, 1, pc);
}

/* The oldest one is forgotten where there is no room. */
static void leave_undecided(struct vcpu *cpu, const struct undecided *what)
{
    if (cpu->undecided_count == UNDECIDED) {
        memmove(&cpu->undecided[0], &cpu->undecided[1], (UNDECIDED - 1) * sizeof(*what));
        cpu->undecided_count--;
    }
    cpu->undecided[cpu->undecided_count++] = *what;
}

static void end_repeated(struct vcpu *cpu, const struct block *block, const struct arrival *to)
{
    const struct step *last = &block->steps[block->count - 1];
    struct undecided what = {.pc = last->pc, .next_pc = block->next_pc, .repeated = true};

    count_steps(cpu, block, cpu->start, block->count - 1u);
    if (progress_same(to->pc, block->next_pc))
        count_alone(cpu, last);
    else if (!progress_same(to->pc, last->pc)) {
        what.slot = *last;
        what.counts_slot = true;
        leave_undecided(cpu, &what);
    }
}

/* Whether only the guest's return tells that the last instruction was executed, as of a repeated
 * one, where control did not go behind it. Some that access memory have no mark (`leaves`). And
 * QEMU up to 8.2 tells of an instruction that crosses into another page and then takes it out of
 * the block, so that it comes next; but if its second page is not there, or at an interrupt, a
 * handler comes next; and the accesses with which an interrupt is delivered pass for the
 * instruction's own. Of a jump neither can be told. */
static bool return_tells(const struct block *block, const struct arrival *to)
{
    const struct step *last = &block->steps[block->count - 1];
    const uint32_t elsewhere =
        QPMU_INSN_JUMP | QPMU_INSN_COND_BRANCH | QPMU_INSN_UNKNOWN | QPMU_INSN_NEVER_GRADUATES;
    bool taken_out = block->ends & END_PAGE && emu.api == 1;

    return (taken_out || (last->leaves && !block->last_marked)) && to->pc != block->next_pc &&
           !last->returns && !(last->insn.flags & elsewhere);
}

uint64_t gates[GATES], gates_first, gates_end;

static void learn_gate(const struct block *block, const struct arrival *to)
{
    const struct step *last = &block->steps[block->count - 1];
    const uint32_t elsewhere = QPMU_INSN_JUMP | QPMU_INSN_UNKNOWN | QPMU_INSN_NEVER_GRADUATES;

    if (!mips && !block->by_place && block->user && !to->user && !step_unsure(last) &&
        !last->returns && !(last->insn.flags & elsewhere))
        gate_learn(to->pc);
}

static void end_branch(struct vcpu *cpu, const struct block *block, const struct arrival *to,
                       const struct step *branch)
{
    const struct step *last = &block->steps[block->count - 1];
    bool likely = skippable(branch) && branch != last, predicted;
    bool behind = ((to->pc ^ block->next_pc) & block->pc_mask) == 0;
    bool taken = ((to->pc ^ branch->insn.target) & block->pc_mask) == 0;
    struct undecided what = {.pc = branch->pc,
                             .next_pc = block->next_pc,
                             .target = branch->insn.target,
                             .counts_slot = likely && !block->last_marked,
                             .predicted = block->begins & BEGIN_FETCH && level_fetches()};

    /* A slot that accesses memory tells by its mark whether it was skipped. */
    predicted = what.predicted && (branch->insn.flags & QPMU_INSN_COND_BRANCH);
    what.predicted = predicted;
    count_steps(cpu, block, cpu->start, block->count - (what.counts_slot && !taken));
    if (!behind && !taken) {
        what.slot = *last;
        if (what.counts_slot || predicted)
            leave_undecided(cpu, &what);
    } else if (predicted)
        flow_predict(cpu, branch->pc, taken);
}

void flow_ended(struct vcpu *cpu, const struct block *block, const struct arrival *to)
{
    const struct step *branch;

    if (block->ends & END_REP || return_tells(block, to)) {
        end_repeated(cpu, block, to);
        return;
    }
    learn_gate(block, to);
    branch =
        block->ends & (END_LIKELY | END_PREDICTED) || cpu->carried ? branch_of(cpu, block) : NULL;
    if (cpu->carried) {
        count_alone(cpu, cpu->carried);
        cpu->carried = NULL;
    }
    if (block->ends & END_NO_SLOT) {
        count_steps(cpu, block, cpu->start, block->count - 1u);
        if (to->vector) {
            count_fault(cpu, &block->steps[block->count - 1]); /* it is executed again */
            return;
        }
        cpu->carried_step = block->steps[block->count - 1];
        cpu->carried = &cpu->carried_step;
        word_closer(cpu);
    } else if (branch)
        end_branch(cpu, block, to, branch);
    else if (mips && block->ends & END_RETURN && !cpu->returning && to->vector) {
        count_steps(cpu, block, cpu->start, block->count - 1u); /* eret where it is forbidden */
        count_fault(cpu, &block->steps[block->count - 1]);
    } else
        count_steps(cpu, block, cpu->start, block->count);
}

/* The delay slot did not graduate: it was skipped, or it raised an exception, and then the branch
 * is executed again with it. Where an exception follows a likely branch, only the return tells
 * which. */
static void slot_left(struct vcpu *cpu, const struct block *block, const struct arrival *to,
                      const struct step *branch)
{
    bool predicted = block->begins & BEGIN_FETCH && level_fetches(), carried = cpu->carried;
    struct undecided what = {.pc = branch->pc,
                             .next_pc = block->next_pc,
                             .slot = *branch,
                             .left = block->steps[block->count - 1],
                             .counts_slot = true,
                             .repeated = true,
                             .leaves = true,
                             .predicted = predicted};

    cpu->carried = NULL;
    if (!carried)
        count_steps(cpu, block, cpu->start, block->count - 2u);
    if (skippable(branch) && !to->told && to->pc == block->next_pc) {
        count_alone(cpu, branch);
        if (predicted)
            flow_predict(cpu, branch->pc, false);
    } else if (skippable(branch) && !to->told && to->vector) {
        leave_undecided(cpu, &what);
    } else if (to->vector) {
        count_fault(cpu, branch);
        count_fault(cpu, &block->steps[block->count - 1]);
    } else {
        cpu->carried_step = *branch; /* QEMU goes on with the slot alone */
        cpu->carried = &cpu->carried_step;
        word_closer(cpu);
    }
}

/* The last instruction may have been taken out of the block, and with it the mark behind the one
 * before: that one raised an exception, or an interrupt came behind it. The return will tell. */
static void cut_off(struct vcpu *cpu, const struct block *block)
{
    const struct step *last = &block->steps[block->count - 1];
    struct undecided what = {.pc = last[-1].pc,
                             .next_pc = last->pc,
                             .slot = last[-1],
                             .counts_slot = true,
                             .repeated = true};

    leave_undecided(cpu, &what);
}

void flow_left(struct vcpu *cpu, const struct block *block, const struct arrival *to,
               unsigned stopped, bool faulted)
{
    const struct step *branch = mips && stopped + 1u == block->count ? branch_of(cpu, block) : NULL;

    if (branch)
        slot_left(cpu, block, to, branch);
    else {
        count_steps(cpu, block, cpu->start, stopped);
        if (faulted && !to->told && block->ends & END_PAGE && stopped + 2u == block->count)
            cut_off(cpu, block);
        else if (faulted)
            count_fault(cpu, &block->steps[stopped]);
        cpu->carried = NULL;
    }
}

void flow_returned(struct vcpu *cpu, const struct arrival *to)
{
    for (unsigned i = cpu->undecided_count; i-- > 0;) {
        struct undecided what = cpu->undecided[i];
        bool behind = to->pc == what.next_pc, taken = !what.repeated && to->pc == what.target;

        if (!behind && !taken && !(what.repeated && to->pc == what.pc))
            continue;
        cpu->undecided_count--;
        memmove(&cpu->undecided[i], &cpu->undecided[i + 1],
                (cpu->undecided_count - i) * sizeof(what));
        if (what.counts_slot && (what.repeated ? behind : taken))
            count_alone(cpu, &what.slot);
        else if (what.leaves) {
            count_fault(cpu, &what.slot);
            count_fault(cpu, &what.left);
        }
        if (what.predicted && (behind || taken))
            flow_predict(cpu, what.pc, taken);
        return;
    }
}
