/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where every block has its entry, as little as can be is done: all that has to be looked at is in
 * one word, to which the translated code adds, too. Each CPU has two, x86's one for the kernel's
 * blocks and one for users': only that of the mode in which it runs is any good. From its lowest
 * bit on:
 *
 *   22 bits  the block's marks (vcpu.h), less what a whole run of it adds: 0 when it ran to its end
 *   21 bits  the room for instructions (room.h), the uppermost bit its sign
 *   20 bits  that for cycles
 *    1 bit   the next entry has to look closer, whatever the others say
 *
 * A block's entry takes its `charge` from the word, all three at once. So if the next one finds no
 * mark missing, and no sign, then what ran before it is counted already, and there was room for it.
 * Otherwise the charge is given back, and the room is taken out of the word (`armed` becomes
 * false), which holds nothing but marks then, from 0 up, and a sign, so that the next entry, too,
 * has a closer look; the other word holds that always. Whoever needs the room, or raw counts, does
 * that first.
 */
#ifndef QPMU_PLUGIN_WORD_H
#define QPMU_PLUGIN_WORD_H

#include "tools/qpmu/plugin/vcpu.h"

#define WORD_INSTRUCTIONS 22
#define WORD_CYCLES       43
#define WORD_ROOM         ((1u << 19) - 1) /* the most that is in it, of either */
#define WORD_CLOSER       (1ull << 63)
/* The sign of cycles has a bit of its own: with that of WORD_CLOSER a block that is not plain would
 * cancel it. */
#define WORD_LOOK (WORD_CLOSER | 1ull << 62 | 1ull << (WORD_CYCLES - 1) | MARKS)

/* ROOM is as in room.h: each half WORD_ROOM at the most. */
static inline uint64_t word_of_room(uint64_t room)
{
    return (uint64_t)(uint32_t)room << WORD_INSTRUCTIONS | room >> 32 << WORD_CYCLES;
}

/* PLAIN: nothing but its sums and marks is to be seen to at its end. */
static inline uint64_t word_charge(const struct block *block, bool plain)
{
    return (word_of_room(block->sum) | block->marks) + (plain ? 0 : WORD_CLOSER);
}

static inline uint64_t *word_of(const struct vcpu *cpu)
{
    return &cpu->words[cpu->block->user];
}

/* As it was before the block that runs was charged, and with its marks. */
static inline uint64_t word_uncharged(const struct vcpu *cpu)
{
    return *word_of(cpu) + (cpu->armed ? cpu->block->charge : 0);
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
    cpu->room = (word >> WORD_INSTRUCTIONS & WORD_ROOM) | (word >> WORD_CYCLES & WORD_ROOM) << 32;
    *word_of(cpu) = WORD_CLOSER | (word & MARKS);
    cpu->armed = false;
}

/* The next entry has to look closer, and not only at the room. */
static inline void word_closer(struct vcpu *cpu)
{
    word_disarm(cpu);
    cpu->attention = true;
}

/* No mark has been made. */
static inline void word_clear(struct vcpu *cpu)
{
    word_disarm(cpu);
    cpu->words[0] = cpu->words[1] = WORD_CLOSER;
}

/* No block, or the middle of one, runs. */
static inline void word_leave(struct vcpu *cpu, const struct block *block)
{
    word_clear(cpu);
    cpu->block = block;
}

/* The block begins, and what was before it is counted. */
static inline void word_begin(struct vcpu *cpu)
{
    word_clear(cpu);
    if (cpu->attention || cpu->extra_count > 0)
        return;
    *word_of(cpu) = word_of_room(cpu->room) - cpu->block->charge;
    cpu->armed = true;
}

#endif
