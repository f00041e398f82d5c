/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86: where interrupts enter the guest's kernel. Where QEMU does not tell of them, this is how one
 * is told from a fault of the instruction before: an address at which a user's program has arrived
 * behind an instruction that cannot fault is an interrupt's, and no fault of an instruction that
 * accesses no memory ever leads there. Or the guest says where they are.
 */
#ifndef QPMU_PLUGIN_GATE_H
#define QPMU_PLUGIN_GATE_H

#include <stdbool.h>
#include <stdint.h>

#define GATES 64

/* Of all CPUs. */
extern uint64_t gates[GATES] __attribute__((visibility("hidden")));
extern uint64_t gates_first,
    gates_end __attribute__((visibility("hidden"))); /* as the guest says */

static inline uint64_t *gate_place(uint64_t pc)
{
    return &gates[(pc >> 3 ^ pc >> 9) % GATES];
}

static inline void gate_told(uint64_t first, uint64_t end)
{
    __atomic_store_n(&gates_first, first, __ATOMIC_RELAXED);
    __atomic_store_n(&gates_end, end, __ATOMIC_RELAXED);
}

static inline void gate_learn(uint64_t pc)
{
    __atomic_store_n(gate_place(pc), pc, __ATOMIC_RELAXED);
}

/* As the guest says. */
static inline bool gate_is_told(uint64_t pc)
{
    return pc >= __atomic_load_n(&gates_first, __ATOMIC_RELAXED) &&
           pc < __atomic_load_n(&gates_end, __ATOMIC_RELAXED);
}

/* False: it may be one all the same. */
static inline bool gate_is_known(uint64_t pc)
{
    return __atomic_load_n(gate_place(pc), __ATOMIC_RELAXED) == pc || gate_is_told(pc);
}

/* The guest begins anew, perhaps with another kernel. */
static inline void gate_forget(void)
{
    for (unsigned i = 0; i < GATES; i++)
        __atomic_store_n(&gates[i], 0, __ATOMIC_RELAXED);
    gate_told(0, 0);
}

#endif
