/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where return addresses are: on x86 in memory from the call on, at an address that the call's
 * store and the return's load tell. On MIPS in register 31, from which a function that calls others
 * stores it, and loads it again. No register has to be read for either.
 */
#include "tools/qpmu/plugin/calls.h"

#include "tools/qpmu/plugin/level.h"
#include "tools/qpmu/plugin/memory.h"
#include "tools/qpmu/plugin/page.h"
#include "tools/qpmu/plugin/vcpu.h"
#include "tools/qpmu/plugin/word.h"

static void __attribute__((noinline)) apply(struct vcpu *cpu)
{
    struct calls *calls = &cpu->calls;
    enum calls_end end = calls->end;
    struct shadow_tag tag, *beside;

    calls->end = CALLS_NONE;
    if (end == CALLS_CALLED) {
        tag = shadow_call(&calls->where, calls->at, calls->back, calls->slot);
        calls->link = tag;
        beside = mips || calls->place == 0 ? NULL : shadow_tag_at(calls->place, true);
        if (beside)
            *beside = tag;
    } else if (end == CALLS_RETURNED) {
        if (!shadow_return(&calls->where, &calls->link, calls->back) && mips)
            calls->link = (struct shadow_tag){0};
    }
}

static inline void apply_end(struct vcpu *cpu)
{
    if (cpu->calls.end != CALLS_NONE)
        apply(cpu);
}

static void ends(struct vcpu *cpu, enum calls_end end, const struct step *step)
{
    cpu->calls.end = end;
    cpu->calls.block = step->block->pc;
    cpu->calls.at = step->pc;
    cpu->calls.to = step->insn.flags & QPMU_INSN_TARGET ? step->insn.target : 0;
}

/* --- x86 --------------------------------------------------------------------------------------
 */

/* QEMU 7.2 may report accesses of helpers as this instruction's, later (level.c): so it says when
 * it is about to be executed, and then its first access counts. */
static void begins(unsigned int index, void *step)
{
    vcpu_of(index)->calls.begun = step;
}

static void called(unsigned int index, emu_access info, uint64_t address, void *arg)
{
    struct vcpu *cpu = vcpu_of(index);
    const struct step *step = arg;

    if (cpu->calls.begun != step || !emu_access_stores(info))
        return;
    cpu->calls.begun = NULL;
    apply_end(cpu);
    ends(cpu, CALLS_CALLED, step);
    cpu->calls.back = step->pc + step->insn.length;
    cpu->calls.slot = address;
    if (!memory_place(cpu, info, address, &cpu->calls.place))
        cpu->calls.place = 0;
}

static void returned(unsigned int index, emu_access info, uint64_t address, void *arg)
{
    struct vcpu *cpu = vcpu_of(index);
    const struct step *step = arg;
    const struct shadow_tag *tag = NULL;
    uint64_t place;

    if (cpu->calls.begun != step || emu_access_stores(info))
        return;
    cpu->calls.begun = NULL;
    apply_end(cpu);
    cpu->calls.back = 0;
    if (memory_place(cpu, info, address, &place)) {
        tag = shadow_tag_at(place, false);
        cpu->calls.back = page_number(place, emu_access_size(info));
    }
    cpu->calls.link = tag ? *tag : (struct shadow_tag){0};
    ends(cpu, CALLS_RETURNED, step);
}

/* A jump by pointer of a function that has set its stack pointer anew may leave functions, as C's
 * longjmp does. One that stays near is a function's own, of a switch. */
#define NEAR 4096u

static void moves(unsigned int index, void *unused)
{
    struct vcpu *cpu = vcpu_of(index);

    (void)unused;
    apply_end(cpu);
    shadow_move(&cpu->calls.where);
}

static void jumps(unsigned int index, void *step)
{
    struct vcpu *cpu = vcpu_of(index);

    apply_end(cpu);
    if (!shadow_has_moved(&cpu->calls.where))
        return;
    cpu->calls.jumped = ((const struct step *)step)->pc;
    word_closer(cpu);
}

static void landed(struct vcpu *cpu, uint64_t pc)
{
    uint64_t from = cpu->calls.jumped;

    cpu->calls.jumped = 0;
    if (pc - from + NEAR > 2 * NEAR) {
        apply_end(cpu);
        shadow_jump(&cpu->calls.where);
    }
}

static bool jumps_by_pointer(const struct step *step)
{
    return step->insn.flags & QPMU_INSN_JUMP && !(step->insn.flags & QPMU_INSN_TARGET) &&
           !step->returns && !step->enters;
}

/* --- MIPS -------------------------------------------------------------------------------------
 */

static void linked(unsigned int index, void *arg)
{
    struct vcpu *cpu = vcpu_of(index);
    const struct step *step = arg;

    apply_end(cpu);
    ends(cpu, CALLS_CALLED, step);
    cpu->calls.back = step->pc + 8;
    cpu->calls.slot = cpu->calls.place = 0;
}

static void jumped_back(unsigned int index, void *step)
{
    struct vcpu *cpu = vcpu_of(index);

    apply_end(cpu);
    cpu->calls.back = cpu->calls.link.back;
    ends(cpu, CALLS_RETURNED, step);
}

static void link_stored(unsigned int index, emu_access info, uint64_t address, void *unused)
{
    struct vcpu *cpu = vcpu_of(index);
    struct shadow_tag *tag;
    uint64_t place;

    (void)unused;
    apply_end(cpu);
    if (!memory_place(cpu, info, address, &place))
        return;
    tag = shadow_tag_at(place, true);
    if (tag)
        *tag = cpu->calls.link;
}

static void link_loaded(unsigned int index, emu_access info, uint64_t address, void *unused)
{
    struct vcpu *cpu = vcpu_of(index);
    const struct shadow_tag *tag = NULL;
    uint64_t place, back;

    (void)unused;
    apply_end(cpu);
    if (memory_place(cpu, info, address, &place))
        tag = shadow_tag_at(place, false);
    cpu->calls.link = tag ? *tag : (struct shadow_tag){0};
    if (!tag)
        return;
    back = page_number(place, emu_access_size(info));
    if (back != tag->back)
        cpu->calls.link = (struct shadow_tag){0};
}

static void link_changed(unsigned int index, void *unused)
{
    struct vcpu *cpu = vcpu_of(index);

    (void)unused;
    apply_end(cpu);
    cpu->calls.link = (struct shadow_tag){0};
}

/* --- blocks -----------------------------------------------------------------------------------
 */

/* QEMU 7.2 does not call those who ask for loads alone of an instruction whose accesses also make
 * marks. */
static void ask_mips(struct qemu_plugin_insn *it, struct step *step)
{
    uint32_t flags = step->insn.flags;

    if (flags & QPMU_INSN_CALL)
        emu_call_insn(it, linked, step);
    else if (flags & QPMU_INSN_RETURN)
        emu_call_insn(it, jumped_back, step);
    else if (!(flags & QPMU_INSN_LINK))
        return;
    else if (flags & QPMU_INSN_STORE)
        emu_call_access(it, EMU_ACCESSES, link_stored, NULL);
    else if (flags & QPMU_INSN_LOAD)
        emu_call_access(it, EMU_ACCESSES, link_loaded, NULL);
    else
        emu_call_insn(it, link_changed, NULL);
}

void calls_ask(const struct block *block, struct qemu_plugin_tb *translation)
{
    for (unsigned i = 0; i < block->count; i++) {
        struct qemu_plugin_insn *it = emu_insn_at(translation, i);
        struct step *step = (struct step *)(uintptr_t)&block->steps[i];

        if (mips)
            ask_mips(it, step);
        else if (step->insn.flags & (QPMU_INSN_CALL | QPMU_INSN_RETURN)) {
            bool call = step->insn.flags & QPMU_INSN_CALL;

            emu_call_insn(it, begins, step);
            emu_call_access(it, EMU_ACCESSES, call ? called : returned, step);
        } else if (step->insn.flags & QPMU_INSN_LINK)
            emu_call_insn(it, moves, NULL);
        else if (jumps_by_pointer(step))
            emu_call_insn(it, jumps, step);
    }
}

/* --- interrupts and exceptions ----------------------------------------------------------------
 */

bool calls_user(const struct vcpu *cpu)
{
    return mips ? (cpu->pmu.mode & (QPMU_MODE_U | QPMU_MODE_S)) != 0 : cpu->pmu.mode == QPMU_MODE_U;
}

static const struct step *last_branch(const struct block *block)
{
    const struct step *last = &block->steps[block->count - 1];

    return block->count >= 2 && last[-1].insn.flags & QPMU_INSN_DELAY_SLOT ? last - 1 : last;
}

/* Where control was about to be behind BLOCK, 0: that is not known. Of a conditional branch, the
 * branch: it is in the same function. */
static uint64_t calls_behind(const struct vcpu *cpu, const struct block *block)
{
    const struct step *branch;
    const struct calls *calls = &cpu->calls;

    if (block->count == 0)
        return 0;
    branch = last_branch(block);
    if (calls->stopped)
        return block->pc;
    if (calls->end != CALLS_NONE &&
        (calls->block == block->pc || (mips && calls->at + 4 == block->pc))) /* its slot alone */
        return calls->end == CALLS_RETURNED ? calls->back : calls->to;
    if (branch->insn.flags & QPMU_INSN_JUMP && !branch->enters)
        return branch->insn.flags & QPMU_INSN_TARGET ? branch->insn.target : 0;
    return branch->pc;
}

/* Where a user goes on, 0: it may be anywhere. */
static uint64_t calls_goes_on(const struct block *block)
{
    const struct step *last = block->count > 0 ? &block->steps[block->count - 1] : NULL;

    return last && last->enters ? last->pc : 0;
}

/* MIPS: whether the branch that ended BLOCK, or the one before, is to be executed again: its delay
 * slot raised an exception, or an interrupt came between. */
static bool is_again(const struct calls *calls, const struct block *block, uint64_t from)
{
    if (!mips || calls->end == CALLS_NONE)
        return false;
    if (from != 0)
        return from == calls->at || from == calls->at + 4; /* the branch, or its slot */
    if (calls->block == block->pc)
        return calls->stopped || block->ends & END_NO_SLOT;
    return calls->at + 4 == block->pc && calls->stopped;
}

/* FROM: where QEMU says that it came; 0: QEMU does not tell. */
static void calls_enter(struct vcpu *cpu, const struct block *block, bool user, uint64_t from)
{
    bool again = is_again(&cpu->calls, block, from);
    uint64_t at = from;

    if (at == 0)
        at = again ? cpu->calls.at : calls_behind(cpu, block);
    if (again)
        cpu->calls.end = CALLS_NONE;
    apply_end(cpu);
    if (user)
        shadow_interrupt(&cpu->calls.where, SHADOW_ENTERED, 0,
                         from != 0 ? from : calls_goes_on(block));
    else
        shadow_interrupt(&cpu->calls.where, SHADOW_INTERRUPTED, at, at);
}

/* An interrupt that comes where another one returns to finds everything as that one did. */
void calls_interrupted(struct vcpu *cpu, const struct block *block, uint64_t from)
{
    if (cpu->calls.jumped)
        landed(cpu, from);
    if (!(block->ends & END_RETURN))
        calls_enter(cpu, block, calls_user(cpu), from);
    cpu->calls.told = true;
}

void calls_arrived(struct vcpu *cpu, const struct block *block, const struct block *next, bool user)
{
    bool enters = (next->begins & (BEGIN_VECTOR | BEGIN_GATE)) != 0, now = calls_user(cpu);
    bool returns = block->ends & END_RETURN;

    if (cpu->calls.told) {
        cpu->calls.told = false;
        return;
    }
    if (cpu->calls.jumped)
        landed(cpu, next->pc);
    if (enters || (user && !now)) {
        if (!returns)
            calls_enter(cpu, block, user, 0);
        return;
    }
    if (user || (!now && !returns))
        return; /* what the block's end has done waits on: it may be a branch without its slot */
    apply_end(cpu);
    if (now)
        shadow_leave(&cpu->calls.where, next->pc);
    else
        shadow_resume(&cpu->calls.where);
}

/* --- records ----------------------------------------------------------------------------------
 */

uint32_t calls_chain(struct vcpu *cpu, uint64_t *words, uint32_t room, bool *whole, bool *cut)
{
    uint64_t block = block_now(cpu)->pc;

    /* Its delay slot may be a block of its own. */
    if (cpu->calls.end != CALLS_NONE && cpu->calls.block != block &&
        !(mips && cpu->calls.at + 4 == block))
        apply(cpu);
    return shadow_chain(&cpu->calls.where, words, room, whole, cut);
}

void calls_forget(void)
{
    shadow_forget();
    for (unsigned i = 0; i < vcpu_count; i++) {
        vcpus[i].calls = (struct calls){.end = CALLS_NONE};
        vcpus[i].mapping++; /* which nobody has followed */
    }
}
