/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where every block has its entry, as little as can be is done: all that has to be looked at is in
 * one word, to which the translated code adds, too, and one comparison looks at it. Each CPU has
 * two, x86's one for the kernel's blocks and one for users': only that of the mode in which it runs
 * is any good. From its lowest bit on:
 *
 *   21 bits  the room for instructions (room.h): it is at least that for cycles, of which a block
 *            takes as many or more, so it does not become negative before that does
 *   21 bits  the room for cycles, the uppermost bit its sign
 *   19 bits  the block's marks (vcpu.h), less what a whole run of it adds: 0 when it ran to its end
 *    1 bit   the block that runs is not plain: the next entry has to look closer
 *    2 bits  it has to anyway; two, so that nothing that is taken from the word can clear them both
 *
 * A block's entry takes its `charge` from the word, all of it at once, and then the block is the
 * CPU's. So if the next one finds the word below WORD_LOOK, no mark is missing and the room is not
 * negative: what ran before it is counted already, and there was room for it. Otherwise the room is
 * taken out of the word (`armed` becomes false), which holds nothing then but marks, from 0 up, and
 * that the next entry, too, has to look; the other word holds that always. Whoever needs the room,
 * or raw counts, does that first. The block that runs is charged in any case: who writes the word
 * takes its charge from it, since translated code does so without knowing what is in it.
 */
#ifndef QPMU_PLUGIN_WORD_H
#define QPMU_PLUGIN_WORD_H

#include "tools/qpmu/plugin/vcpu.h"

#define WORD_CYCLES    21
#define WORD_ROOM      ((1u << 19) - 1) /* the most that is in it, of either */
#define WORD_LOOK      (1ull << 41)     /* from here on */
#define WORD_NOT_PLAIN (1ull << 61)
#define WORD_CLOSER    (3ull << 62)

/* ROOM is as in room.h: each half WORD_ROOM at the most. */
static inline uint64_t word_of_room(uint64_t room)
{
    return (uint32_t)room | room >> 32 << WORD_CYCLES;
}

/* PLAIN: nothing but its sums and marks is to be seen to at its end. */
static inline uint64_t word_charge(const struct block *block, bool plain)
{
    return (word_of_room(block->sum) | block->marks) + (plain ? 0 : WORD_NOT_PLAIN);
}

static inline uint64_t *word_of(const struct vcpu *cpu)
{
    return &cpu->words[block_now(cpu)->user];
}

/* As it was before the block that runs was charged, and with its marks. */
static inline uint64_t word_uncharged(const struct vcpu *cpu)
{
    return *word_of(cpu) + block_now(cpu)->charge;
}

static inline void word_set(struct vcpu *cpu, uint64_t uncharged)
{
    *word_of(cpu) = uncharged - block_now(cpu)->charge;
}

/* The marks of the block that runs. */
static inline uint64_t word_marks(const struct vcpu *cpu)
{
    return word_uncharged(cpu) & MARKS;
}

static inline void word_disarm(struct vcpu *cpu)
{
    uint64_t word = word_uncharged(cpu);

    if (!cpu->armed)
        return;
    cpu->room = (word & WORD_ROOM) | (word >> WORD_CYCLES & WORD_ROOM) << 32;
    word_set(cpu, WORD_CLOSER | (word & MARKS));
    cpu->armed = false;
}

/* The next entry has to look closer, and not only at the room. */
static inline void word_closer(struct vcpu *cpu)
{
    word_disarm(cpu);
    cpu->attention = true;
}

/* No block, or the middle of one, runs; no mark has been made. */
static inline void word_leave(struct vcpu *cpu, const struct block *block)
{
    word_disarm(cpu);
    cpu->words[0] = cpu->words[1] = WORD_CLOSER;
    block_set(cpu, block);
    word_set(cpu, WORD_CLOSER);
}

/* The block begins, and what was before it is counted. Without room for it the word says no more
 * than that the next entry has to look: translated code, which looks for room too, has then nothing
 * to find once it has called. */
static inline void word_begin(struct vcpu *cpu, const struct block *block)
{
    word_leave(cpu, block);
    if (cpu->attention || cpu->extra_count > 0 || cpu->room >> 32 < block->sum >> 32)
        return;
    word_set(cpu, word_of_room(cpu->room));
    cpu->armed = true;
}

#endif
