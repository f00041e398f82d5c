/* SPDX-License-Identifier: BSD-2-Clause */
/* A process's counts: sums, what is added to its parent's, and how often its generation grows. */
#include "kernel/hwperf/hwperf_private.h"
#include "kernel/thread/thread.h"
#include "tests/kernel/selftest.h"

static struct hwperf_control control;
static uint64_t counts[HWPERF_EVENTS];

/* Counts I * BY + 1 of event I, and I thresholds of it. */
static struct hwperf_block *hwperf_block_filled(uint64_t by)
{
    struct hwperf_block *block = hwperf_block_create();

    for (unsigned i = 0; block && i < HWPERF_EVENTS; i++) {
        block->count[i] = i * by + 1;
        block->overflows[i] = i;
    }
    return block;
}

/* Event I of BLOCK is I * BY + ONES. */
static int hwperf_block_check(struct hwperf_block *block, uint32_t generation, uint64_t by,
                              uint64_t ones)
{
    SELFTEST_EQUAL(hwperf_block_read(block, counts), generation);
    for (unsigned i = 0; i < HWPERF_EVENTS; i++)
        SELFTEST_EQUAL(counts[i], i * by + ones);
    return 0;
}

/* Each is on once, and loses its counters only then. */
static int hwperf_block_generations(struct hwperf_block *block)
{
    uint32_t begin = hwperf_block_generation(block);
    struct hwperf_block_facts facts;

    hwperf_block_lose(block);
    SELFTEST_EQUAL(hwperf_block_generation(block), begin);
    hwperf_block_get_facts(block, &facts);
    SELFTEST_CHECK(!facts.lost);
    hwperf_block_set(block, &control, false);
    if (hwperf_block_check(block, begin + 1, 5, 1) != 0)
        return 1;
    hwperf_block_lose(block);
    hwperf_block_lose(block);
    SELFTEST_EQUAL(hwperf_block_generation(block), begin + 2);
    hwperf_block_get_facts(block, &facts);
    SELFTEST_CHECK(facts.lost && !hwperf_block_is_on(block) && hwperf_block_is_wanted(block));
    return 0;
}

/* TO gets what FROM has; that it lost its counters is told once. */
static int hwperf_block_sums(struct hwperf_block *to, struct hwperf_block *from)
{
    uint32_t begin = hwperf_block_generation(to);

    hwperf_block_add(to, from); /* lost */
    if (hwperf_block_check(to, begin + 1, 12, 2) != 0)
        return 1;
    SELFTEST_CHECK(hwperf_block_is_wanted(to));
    hwperf_block_set(from, &control, true);
    hwperf_block_add(to, from); /* nothing, and nothing lost */
    return hwperf_block_check(to, begin + 1, 12, 2);
}

/* Of two members, neither of which counts. */
static int hwperf_block_members(struct hwperf_block *block)
{
    struct hwperf_block_facts facts;
    struct hwperf_member *m[2];

    for (unsigned i = 0; i < 2; i++) {
        hwperf_block_get_facts(block, &facts);
        SELFTEST_EQUAL(facts.members, i);
        m[i] = hwperf_member_create(block, curlwp);
        SELFTEST_CHECK(m[i] != NULL);
    }
    hwperf_block_get_facts(block, &facts);
    SELFTEST_EQUAL(facts.members, 2);
    SELFTEST_EQUAL(facts.overflows, HWPERF_EVENTS * (HWPERF_EVENTS - 1) / 2);
    hwperf_member_free(m[1]);
    hwperf_member_free(m[0]);
    return 0;
}

SELFTEST_COUNTERS(hwperf_block, "hwperf-block", "a process's counts, and its parent's")
{
    struct hwperf_block *to, *from;
    int result;

    hwperf_boot();
    if (hwperf_counter(0) < 0)
        return selftest_skip("there are no counters");
    to = hwperf_block_filled(7);
    from = hwperf_block_filled(5);
    SELFTEST_CHECK(to && from);
    mutex_enter(&hwperf_lock);
    result = hwperf_block_members(to);
    if (result == 0)
        result = hwperf_block_generations(from);
    if (result == 0)
        result = hwperf_block_sums(to, from);
    mutex_exit(&hwperf_lock);
    hwperf_block_free(from);
    hwperf_block_free(to);
    return result;
}
