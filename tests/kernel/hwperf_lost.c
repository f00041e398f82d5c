/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters of threads that the system takes, where a clock tick comes before their CPU has been
 * asked to let go of them: what is counted until then is the event's that was being counted. Each
 * threshold stands for a period of it.
 */
#include <arch/interrupt_flag.h>
#include "kernel/hwperf/hwperf_private.h"
#include "tests/kernel/hwperf_spec.h"
#include "tests/kernel/pmu_code.h"
#include "tests/kernel/pmu_take.h"
#include "tests/kernel/selftest.h"

#define TURNED (1u << CYCLES_0 | 1u << INSTRUCTIONS) /* two on one side */
#define PERIOD 1000
#define TURNS  100000ull
#define LOOP   (CODE_LOOP_TURN * TURNS)
#define AROUND (LOOP / 2) /* counted besides at most: calls, and a tick */

static struct hwperf_control control;
static uint64_t counts[HWPERF_EVENTS];

/* Instructions have a threshold. */
static uint16_t hwperf_lost_spec(unsigned event)
{
    return hwperf_spec_of(event) | (event == INSTRUCTIONS ? 1u << 4 : 0);
}

static void hwperf_lost_work(void)
{
    pmu_code_kernel(&pmu_code_loop, TURNS);
}

/* Interrupts off. */
static int hwperf_lost_take(uint32_t sides)
{
    struct pmc_counter_cfg cfgs[HWPERF_SIDES];
    struct hwperf_control taker = {.signal = 0};
    unsigned count = 0;

    taker.spec[CYCLES_0] = hwperf_lost_spec(CYCLES_0);
    taker.spec[CYCLES_1] = hwperf_lost_spec(CYCLES_1);
    for (unsigned side = 0; side < HWPERF_SIDES; side++)
        if (sides >> side & 1)
            (void)hwperf_configuration(&taker, side * HWPERF_SIDE_EVENTS, &cfgs[count++]);
    return pmu_take_late(hwperf_counters(sides), cfgs, hwperf_lost_work);
}

static int hwperf_lost_between(const char *what, uint64_t value, uint64_t loops)
{
    if (value >= loops * LOOP && value <= loops * LOOP + AROUND)
        return 0;
    return selftest_fail("%s: %lu, not %lu and a little", what, (unsigned long)value,
                         (unsigned long)(loops * LOOP));
}

/* SIDES are taken while it is the turn of instructions: LOOPS loops count. */
static int hwperf_lost_turn(struct hwperf_member *m, uint32_t sides, unsigned loops)
{
    struct hwperf_block *block = m->block;
    uint32_t generation = hwperf_block_generation(block);
    struct hwperf_block_facts facts;
    uintptr_t state;
    int error;

    error = hwperf_member_start(m);
    state = interrupts_save();
    while (error == 0 && hwperf_index_of(m, 0) != INSTRUCTIONS)
        hwperf_owner.tick(curlwp);
    if (error == 0)
        error = hwperf_lost_take(sides);
    interrupts_restore(state);
    if (error == 0)
        pmu_take_give(hwperf_counters(sides));
    SELFTEST_EQUAL(error, 0);
    SELFTEST_EQUAL(hwperf_block_read(block, counts), generation + 1);
    hwperf_block_get_facts(block, &facts);
    SELFTEST_CHECK(facts.lost && !hwperf_block_is_on(block));
    if (hwperf_lost_between("instructions", counts[INSTRUCTIONS], loops) != 0)
        return 1;
    SELFTEST_EQUAL(facts.overflows, counts[INSTRUCTIONS] / PERIOD);
    return 0;
}

/* A clock tick of the thread that counts: one fold, whether it is a turn or not. */
static int hwperf_lost_tick(struct hwperf_member *m)
{
    uintptr_t state = interrupts_save();
    uint32_t folds = m->block->folds;

    hwperf_owner.tick(curlwp);
    folds = m->block->folds - folds;
    interrupts_restore(state);
    SELFTEST_EQUAL(folds, 1);
    return 0;
}

/* It asks again, and counts from 0, in turns or not. */
static int hwperf_lost_again(struct hwperf_member *m)
{
    struct hwperf_block_facts facts;
    uint32_t folds = m->block->folds;

    hwperf_member_stop(m);
    hwperf_block_set(m->block, &control, true);
    SELFTEST_EQUAL(hwperf_member_start(m), 0);
    SELFTEST_CHECK(m->block->folds != folds);
    for (unsigned loop = 0; loop < 4; loop++) {
        hwperf_lost_work();
        if (hwperf_lost_tick(m) != 0)
            return 1;
    }
    hwperf_member_stop(m);
    (void)hwperf_block_read(m->block, counts);
    hwperf_block_get_facts(m->block, &facts);
    SELFTEST_CHECK(counts[INSTRUCTIONS] > 0 && !facts.lost);
    SELFTEST_EQUAL(facts.overflows, counts[INSTRUCTIONS] / PERIOD);
    return 0;
}

/* The block has those of EVENTS, a bit each; instructions have a threshold. */
static int hwperf_lost_of_block(uint32_t events, uint32_t sides, unsigned loops)
{
    struct hwperf_block *block = hwperf_block_create();
    struct hwperf_member *m;
    int result = 1;

    SELFTEST_CHECK(block != NULL);
    control = (struct hwperf_control){.frequency = {[INSTRUCTIONS] = PERIOD}};
    for (unsigned event = 0; event < HWPERF_EVENTS; event++)
        if (events >> event & 1)
            control.spec[event] = hwperf_lost_spec(event);
    mutex_enter(&hwperf_lock);
    hwperf_block_set(block, &control, true);
    m = hwperf_member_create(block, curlwp);
    if (m) {
        result = hwperf_lost_turn(m, sides, loops);
        if (result == 0)
            result = hwperf_lost_again(m);
        hwperf_member_free(m);
    }
    mutex_exit(&hwperf_lock);
    hwperf_block_free(block);
    return result;
}

SELFTEST_COUNTERS_ONE_CPU(hwperf_lost, "hwperf-lost",
                          "what a process counts until its counters are taken is its event's")
{
    int result;

    hwperf_boot();
    if (hwperf_counter(0) < 0 || !hwperf_event_name(INSTRUCTIONS))
        return selftest_skip("no counter counts instructions here");
    result = hwperf_lost_of_block(TURNED, 1, 3);
    if (result == 0)
        result = hwperf_lost_of_block(TURNED | 1u << CYCLES_1, 3, 3);
    if (result == 0) /* the turn is over at the tick; what comes then is nobody's */
        result = hwperf_lost_of_block(TURNED | 1u << CYCLES_1, 2, 2);
    if (result == 0) /* no turns, and what still counts has a threshold */
        result = hwperf_lost_of_block(1u << INSTRUCTIONS | 1u << CYCLES_1, 2, 3);
    return result;
}
