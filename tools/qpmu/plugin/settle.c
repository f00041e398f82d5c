/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counting block by block. When a block is entered, the one before it is settled: it ran to its
 * end, or it was left early. Then only the instructions before the one that left it have graduated
 * (progress.c). Overflows are found where a sum would reach a limit,
 * by adding the block's instructions one at a time.
 */
#include "tools/qpmu/plugin/settle.h"

#include "tools/qpmu/plugin/calls.h"
#include "tools/qpmu/plugin/flow.h"
#include "tools/qpmu/plugin/level.h"
#include "tools/qpmu/plugin/marks.h"
#include "tools/qpmu/plugin/memory.h"
#include "tools/qpmu/plugin/mode.h"
#include "tools/qpmu/plugin/page.h"
#include "tools/qpmu/plugin/progress.h"
#include "tools/qpmu/plugin/reset.h"
#include "tools/qpmu/plugin/room.h"
#include "tools/qpmu/plugin/snapshot.h"
#include "tools/qpmu/plugin/watch.h"
#include "tools/qpmu/plugin/word.h"

/* With its callers, if the guest wants them. */
static void record_put(struct vcpu *cpu, const struct qpmu_record *record, bool interrupt)
{
    struct ring *ring = &cpu->ring;
    bool whole = false, cut = false;

    ring->next.count = ring->callers && level_calls()
                           ? calls_chain(cpu, ring->next.at, QPMU_CALLERS_MOST, &whole, &cut)
                           : 0;
    ring->next.flags = (whole ? QPMU_CALLERS_WHOLE : 0) | (cut ? QPMU_CALLERS_CUT : 0);
    ring_put(ring, record, interrupt);
}

void overflowed(void *context, const struct qpmu_overflow *overflow)
{
    struct vcpu *cpu = context;
    struct qpmu_record record = {
        .pc = cpu->where,
        .value = overflow->value,
        .counter = overflow->counter,
        .mode = (uint16_t)overflow->mode,
        .cpu = (uint16_t)cpu->index,
        .instructions = cpu->pmu.raw[QPMU_INSTRUCTIONS],
    };

    if (overflow->interrupt)
        direct_overflowed(cpu);
    if (!reset_missed(cpu) && snapshot_is_same(cpu))
        record_put(cpu, &record, overflow->interrupt);
}

void limit_reached(struct vcpu *cpu, enum qpmu_event event, uint64_t pc)
{
    struct qpmu_slot *slot = cpu->ring.slot;

    room_take(cpu);
    cpu->where = pc;
    if (slot) {
        cpu->pmu.reload_on = page_get32(&slot->reload_on);
        for (unsigned i = 0; i < QPMU_COUNTERS; i++)
            cpu->pmu.reload[i] = page_get64(&slot->reload[i]);
    }
    qpmu_cpu_overflow(&cpu->pmu, event);
    room_give(cpu);
}

void count_event(struct vcpu *cpu, enum qpmu_event event, unsigned n, uint64_t pc)
{
    cpu->pmu.raw[event] += n;
    check_limit(cpu, event, pc);
}

/* Adds to the raw counts, between room_take and room_give. */
static void count_raw(struct vcpu *cpu, const struct step *step,
                      unsigned (*adds)(const struct step *, enum qpmu_event))
{
    for (unsigned a = 0; a < cpu->active_count; a++)
        cpu->pmu.raw[cpu->active[a]] += adds(step, cpu->active[a]);
    for (unsigned a = 0; a < cpu->active_count; a++)
        check_limit(cpu, cpu->active[a], step->pc);
    room_take(cpu);
}

static unsigned adds_passed(const struct step *step, enum qpmu_event event)
{
    return step_adds(step, event);
}

static unsigned adds_faulted(const struct step *step, enum qpmu_event event)
{
    return qpmu_insn_adds_faulted(&step->insn, event);
}

void count_alone(struct vcpu *cpu, const struct step *step)
{
    room_take(cpu);
    count_raw(cpu, step, adds_passed);
    room_give(cpu);
}

void count_fault(struct vcpu *cpu, const struct step *step)
{
    room_take(cpu);
    count_raw(cpu, step, adds_faulted);
    room_give(cpu);
}

/* Adds a block to the events that have no part in `room`, unless a limit lies in it: then nothing
 * is added, and the answer is false. */
static bool __attribute__((noinline)) count_extras(struct vcpu *cpu, const struct block *block)
{
    for (unsigned a = 0; a < cpu->extra_count; a++) {
        enum qpmu_event event = cpu->active[a];

        if (cpu->pmu.raw[event] + block->total[event] >= cpu->pmu.limit[event]) {
            while (a-- > 0)
                cpu->pmu.raw[cpu->active[a]] -= block->total[cpu->active[a]];
            return false;
        }
        cpu->pmu.raw[event] += block->total[event];
    }
    return true;
}

/* The same for all events. */
static inline bool count_whole(struct vcpu *cpu, const struct block *block)
{
    uint64_t room = cpu->room - block->sum;

    if ((room & ROOM_SIGNS) != 0) { /* there may be more */
        room_give(cpu);
        room = cpu->room - block->sum;
    }
    if ((room & ROOM_SIGNS) != 0 || (cpu->extra_count > 0 && !count_extras(cpu, block)))
        return false;
    cpu->room = room;
    return true;
}

void count_steps(struct vcpu *cpu, const struct block *block, unsigned from, unsigned to)
{
    if (from == 0 && !cpu->sc) {
        uint64_t room = cpu->room - block->most;

        if (to == block->count && count_whole(cpu, block))
            return;
        if (to + 1u == block->count && cpu->extra_count == 0 && (room & ROOM_SIGNS) == 0) {
            cpu->room = room;
            return;
        }
    }
    room_take(cpu);
    for (unsigned i = from; i < to; i++) {
        const struct step *step = &block->steps[i];

        count_raw(cpu, step, adds_passed);
        if (step == cpu->sc)
            sc_graduated(cpu);
    }
    room_give(cpu);
}

void settle_before(struct vcpu *cpu, const struct step *step)
{
    const struct block *block = step->block;

    word_closer(cpu);
    if (block_now(cpu) != block) {
        /* Its entry was not seen: it counts from here. */
        word_leave(cpu, block);
        cpu->start = step->index;
    }
    if (cpu->start < step->index) {
        count_steps(cpu, block, cpu->start, step->index);
        cpu->start = step->index;
    }
}

static void settle(struct vcpu *cpu, const struct block *block, const struct arrival *to)
{
    bool faulted;
    unsigned end = progress_of(cpu, block, to, &faulted);

    cpu->calls.stopped = end != block->count;
    if (end == block->count)
        flow_ended(cpu, block, to);
    else {
        flow_left(cpu, block, to, end, faulted);
        cpu->sc = NULL;
    }
}

/* A CPU stops between two blocks, and the next one is not known. In the middle of one it stops only
 * where QEMU executes a device access alone, or has skipped a likely branch's slot. */
void settle_last(struct vcpu *cpu)
{
    const struct block *block = block_now(cpu);
    struct arrival to = {.pc = block->next_pc, .user = block->user};
    bool faulted;
    unsigned end;

    if (block == &no_block)
        return;
    word_disarm(cpu);
    end = progress_of(cpu, block, &to, &faulted);
    if (end < block->count && !flow_slot_skippable(cpu, block, end))
        count_steps(cpu, block, cpu->start, end + 1);
    else
        settle(cpu, block, &to);
    word_leave(cpu, &no_block);
}

/* The block was left, for TO. */
static void leave(struct vcpu *cpu, const struct block *block, const struct arrival *to)
{
    cpu->attention = false;
    if (block != &no_block)
        settle(cpu, block, to);
    if (block->ends & END_HALT && cpu->active_count > 0)
        count_event(cpu, QPMU_WAKEUPS, 1, to->pc);
}

void settle_discontinuity(struct vcpu *cpu, bool exception, uint64_t from)
{
    const struct block *block = block_now(cpu);
    struct arrival to = {.pc = from, .told = true, .exception = exception, .vector = true};

    word_disarm(cpu);
    leave(cpu, block, &to);
    word_leave(cpu, &no_block);
    cpu->start = 0;
}

static void __attribute__((noinline)) look_closer(struct vcpu *cpu, const struct block *block,
                                                  const struct block *next)
{
    struct arrival to = {.pc = next->pc,
                         .vector = !emu.discontinuity && next->begins & BEGIN_VECTOR,
                         .interrupt = !emu.discontinuity && next->begins & BEGIN_INTERRUPT,
                         .user = next->user};
    bool user;

    leave(cpu, block, &to);
    user = calls_user(cpu);
    mode_entered(cpu, next);
    if (level_calls())
        calls_arrived(cpu, block, next, user);
    /* What was interrupted belongs to the mode that is returned to. */
    if (block->ends & END_RETURN && cpu->undecided_count > 0)
        flow_returned(cpu, &to);
    cpu->start = 0;
    if (next->begins & BEGIN_FETCH && level_fetches())
        fetch_lines(cpu, next);
    if (cpu->active_count == 0 && ((cpu->room - next->sum) & ROOM_SIGNS) != 0)
        room_give(cpu);
}

void settle_enter(struct vcpu *cpu, const struct block *next)
{
    const struct block *block = block_now(cpu);
    unsigned closer = block->ends | next->begins | cpu->attention | (next->user ^ cpu->user);

    word_disarm(cpu);
    if (closer != 0 || word_marks(cpu) != block->marks || block_reaches(block, next) ||
        !count_whole(cpu, block))
        look_closer(cpu, block, next);
    if (level_steps())
        watch_block(cpu, next);
    word_begin(cpu, next);
}
