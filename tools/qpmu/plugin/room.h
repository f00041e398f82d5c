/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions and cycles are added up for nearly every block, so they are not added to their raw
 * counts each time but subtracted from what may still pass before a limit is reached: both at once,
 * in the halves of one word, of which neither may become negative. There is never more of it for
 * cycles, the upper half, than for instructions: so cycles, of which an instruction takes one or
 * more, are always the first to be used up. While blocks run to their ends it is in the CPU's word
 * (word.h), and `room` is what it was before.
 */
#ifndef QPMU_PLUGIN_ROOM_H
#define QPMU_PLUGIN_ROOM_H

#include "tools/qpmu/plugin/word.h"

#define ROOM_SIGNS 0x8000000080000000ull
/* So that there is something to do at least so often. */
#define ROOM_MOST WORD_ROOM

/* So much has been counted since the slot was stamped (snapshot.c). */
void room_spent(struct vcpu *cpu);

static inline uint64_t room_of(uint64_t instructions, uint64_t cycles)
{
    return instructions | cycles << 32;
}

/* Raw counts are right after this, and there is no room until it is given. */
static inline void room_take(struct vcpu *cpu)
{
    word_disarm(cpu);
    cpu->pmu.raw[QPMU_INSTRUCTIONS] += (uint32_t)cpu->granted - (uint32_t)cpu->room;
    cpu->pmu.raw[QPMU_CYCLES] += (cpu->granted >> 32) - (cpu->room >> 32);
    cpu->granted = cpu->room = 0;
}

static inline uint64_t room_until(const struct vcpu *cpu, enum qpmu_event event)
{
    uint64_t raw = cpu->pmu.raw[event], limit = cpu->pmu.limit[event];

    if (raw >= limit)
        return 0;
    return limit - raw - 1 < ROOM_MOST ? limit - raw - 1 : ROOM_MOST;
}

/* After raw counts or limits were changed. */
static inline void room_give(struct vcpu *cpu)
{
    uint64_t instructions, cycles;

    room_take(cpu);
    if (cpu->pmu.raw[QPMU_INSTRUCTIONS] - cpu->stamped_at >= ROOM_MOST)
        room_spent(cpu);
    instructions = room_until(cpu, QPMU_INSTRUCTIONS);
    cycles = room_until(cpu, QPMU_CYCLES);
    cpu->room = cpu->granted = room_of(instructions, cycles < instructions ? cycles : instructions);
}

#endif
