/* SPDX-License-Identifier: BSD-2-Clause */
/* How much is instrumented. */
#ifndef QPMU_PLUGIN_LEVEL_H
#define QPMU_PLUGIN_LEVEL_H

#include "tools/qpmu/events.h"
#include "tools/qpmu/qemu/emu.h"

#include <stdbool.h>

/* The level that is instrumented now; looked at in every block, so it is no function's secret. */
extern int level_is __attribute__((visibility("hidden")));
static inline enum qpmu_level level_now(void)
{
    return (enum qpmu_level)__atomic_load_n(&level_is, __ATOMIC_RELAXED);
}
void level_begin(enum qpmu_level first);
/* Asks for LEVEL or more; it comes soon, when all blocks have been forgotten. */
void level_ask(enum qpmu_level level);
/* Whether it may go down: then level_halts is to be called where a CPU is about to halt; after some
 * time without use the level is lower. */
bool level_goes_down(void);
void level_halts(unsigned int index, void *unused);
/* Whether every instruction looks whether it is to call (watch.h): which finds an overflow at its
 * instruction. */
extern bool steps_are __attribute__((visibility("hidden")));
static inline bool level_steps(void)
{
    return __atomic_load_n(&steps_are, __ATOMIC_RELAXED);
}
/* It soon is so. */
void level_ask_steps(void);
/* Whether calls and returns are followed (calls.h); then blocks are counted, too. */
extern bool calls_are __attribute__((visibility("hidden")));
static inline bool level_calls(void)
{
    return __atomic_load_n(&calls_are, __ATOMIC_RELAXED);
}
/* It soon is so. */
void level_ask_calls(void);
/* Whether they can be: not where QEMU 7.2 lets no accesses be heard (level.c). */
bool level_can_call(void);
/* Whether the models of fetches and branches run, in blocks made for them. */
static inline bool level_fetches(void)
{
    return level_now() == QPMU_LEVEL_ALL;
}
/* Whether there are callbacks of the accesses with which a block may be left (step->leaves). */
static inline bool leaving_heard(enum qpmu_level level)
{
    return emu.forgets || (level >= QPMU_LEVEL_DATA && emu.cpus == 1);
}
/* The events that can be counted now. */
uint64_t level_events(void);

#endif
