/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks that are entered by translated code: tools/qpmu/plugin/entry.c. */
#include "tests/host/qpmu_emulator.h"
#include "tests/host/qpmu_pc.h"
#include "tests/host/test.h"
#include "tools/qpmu/plugin/marks.h"
#include "tools/qpmu/plugin/room.h"
#include "tools/qpmu/plugin/settle.h"
#include "tools/qpmu/plugin/word.h"

#include <string.h>

#define USER   0x1000ull
#define KERNEL 0xffffffff80001000ull
#define BRANCH "\x74\x20", 2 /* je */

/* Counts EVENT, whoever asks for what; progress is known by place. */
static struct vcpu *counting(enum qpmu_event event)
{
    emulator.inlines = emu.discontinuity = true;
    marks_begin(false);
    pc_begin(QPMU_LEVEL_BLOCKS);
    return pc_counts(event);
}

static void counting_ends(void)
{
    pc_counts_no_more();
    emulator.inlines = emu.discontinuity = false;
    marks_begin(true);
}

static struct emulator_inline code_of(uint64_t pc, const char *bytes, size_t size)
{
    emulator.entered = NULL;
    pc_translate(pc, bytes, size);
    CHECK(!emulator.entered);
    return emulator.code;
}

/* The first entry calls, the others do not, and whoever looks finds all but the one that runs. */
TEST(qpmu_plugin_inline_entries)
{
    struct vcpu *cpu = counting(QPMU_INSTRUCTIONS);
    struct emulator_inline one = code_of(KERNEL, NOP), other = code_of(KERNEL + 1, NOP);
    uint64_t before;

    CHECK(emulator_enters(0, &one));
    before = pc_instructions();
    CHECK(emulator_enters(0, &other));
    for (unsigned i = 1; i <= 1000; i++) {
        const struct emulator_inline *next = i % 3 ? &one : &other;

        CHECK(!emulator_enters(0, next));
        CHECK(block_now(cpu) == next->arg);
        CHECK_EQUAL(word_marks(cpu), 0);
    }
    CHECK_EQUAL(pc_instructions(), before + 1001);
    CHECK_EQUAL(pc_instructions(), before + 1001);
    CHECK(emulator_enters(0, &one));
    CHECK(!emulator_enters(0, &one));
    CHECK_EQUAL(pc_instructions(), before + 1003);
    counting_ends();
}

/* A limit is seen in the entry behind the block in which it lies: neither earlier nor later. */
static void reaches_limit(enum qpmu_event event)
{
    struct vcpu *cpu = counting(event);
    struct emulator_inline one = code_of(KERNEL, BRANCH);

    emulator_enters(0, &one);
    for (unsigned room = 0; room < 5; room++) {
        room_take(cpu);
        cpu->pmu.limit[event] = cpu->pmu.raw[event] + room + 1;
        room_give(cpu);
        for (unsigned entries = 0; entries <= room; entries++) {
            CHECK_EQUAL(cpu->pmu.limit[event] == ~0ull, 0);
            emulator_enters(0, &one);
        }
        CHECK_EQUAL(cpu->pmu.limit[event], ~0ull); /* qpmu_cpu_overflow() was here */
    }
    counting_ends();
}

TEST(qpmu_plugin_inline_limits)
{
    reaches_limit(QPMU_INSTRUCTIONS);
    reaches_limit(QPMU_CYCLES);
    reaches_limit(QPMU_BRANCHES);
}

/* Of two events that have no part in the room the later one has its limit in the block: all are
 * counted once, and the limit is seen as above. */
TEST(qpmu_plugin_inline_extras)
{
    struct vcpu *cpu = counting(QPMU_BRANCHES_ALL);
    struct emulator_inline one = code_of(KERNEL, BRANCH);
    uint64_t before[STATIC_EVENTS];

    cpu->always |= 1ull << QPMU_BRANCHES;
    vcpu_choose(cpu);
    emulator_enters(0, &one);
    emulator_enters(0, &one);
    for (unsigned room = 0; room < 5; room++) {
        room_take(cpu);
        memcpy(before, cpu->pmu.raw, sizeof(before));
        cpu->pmu.limit[QPMU_BRANCHES_ALL] = before[QPMU_BRANCHES_ALL] + room + 1;
        room_give(cpu);
        for (unsigned entries = 1; entries <= room + 1; entries++) {
            CHECK_EQUAL(cpu->pmu.limit[QPMU_BRANCHES_ALL] == ~0ull, 0);
            emulator_enters(0, &one);
            CHECK_EQUAL(pc_instructions(), before[QPMU_INSTRUCTIONS] + entries);
            CHECK_EQUAL(cpu->pmu.raw[QPMU_BRANCHES], before[QPMU_BRANCHES] + entries);
            CHECK_EQUAL(cpu->pmu.raw[QPMU_BRANCHES_ALL], before[QPMU_BRANCHES_ALL] + entries);
        }
        CHECK_EQUAL(cpu->pmu.limit[QPMU_BRANCHES_ALL], ~0ull);
    }
    counting_ends();
}

/* What was asked for not long ago is still added up. */
TEST(qpmu_plugin_recent_events)
{
    struct vcpu *cpu = counting(QPMU_STORES);

    CHECK_EQUAL(cpu->active_count, 2); /* it, and instructions */
    CHECK_EQUAL(cpu->active[0], QPMU_STORES);
    cpu->always = 1ull << QPMU_LOADS;
    room_take(cpu);
    cpu->pmu.raw[QPMU_INSTRUCTIONS] += RECENT - 1;
    vcpu_choose(cpu);
    CHECK_EQUAL(cpu->active_count, 3);
    CHECK_EQUAL(cpu->active[0], QPMU_LOADS);
    CHECK_EQUAL(cpu->active[1], QPMU_STORES);
    CHECK_EQUAL(cpu->active[2], QPMU_INSTRUCTIONS);
    cpu->always = 1ull << QPMU_CYCLES;
    room_take(cpu);
    cpu->pmu.raw[QPMU_INSTRUCTIONS] += 1;
    vcpu_choose(cpu);
    CHECK_EQUAL(cpu->extra_count, 1);
    CHECK_EQUAL(cpu->active[0], QPMU_LOADS);
    CHECK_EQUAL(cpu->active_count, 3);
    CHECK_EQUAL(cpu->active[1], QPMU_CYCLES);
    counting_ends();
}

/* Cycles use up the room before instructions do, whose own limit is then still far. */
TEST(qpmu_plugin_inline_room_is_renewed)
{
    struct vcpu *cpu = counting(QPMU_INSTRUCTIONS);
    struct emulator_inline slow = code_of(KERNEL, DIV);
    unsigned cycles = ((const struct block *)slow.arg)->steps[0].insn.cycles, calls = 0;
    uint64_t before, before_cycles;

    CHECK(cycles > 1);
    emulator_enters(0, &slow);
    before = pc_instructions();
    before_cycles = cpu->pmu.raw[QPMU_CYCLES];
    emulator_enters(0, &slow);
    for (unsigned i = 1; i <= ROOM_MOST; i++)
        calls += emulator_enters(0, &slow);
    CHECK_EQUAL(pc_instructions(), before + ROOM_MOST + 1);
    CHECK_EQUAL(cpu->pmu.raw[QPMU_CYCLES], before_cycles + (ROOM_MOST + 1ull) * cycles);
    CHECK_EQUAL(calls, cycles);
    counting_ends();
}

/* A block of another mode is always looked at, and so is what an exception has interrupted. */
TEST(qpmu_plugin_inline_looks)
{
    struct vcpu *cpu = counting(QPMU_INSTRUCTIONS);
    struct emulator_inline kernel = code_of(KERNEL, NOP), user = code_of(USER, NOP), halt;
    uint64_t before;

    emulator_enters(0, &kernel);
    before = pc_instructions();
    emulator_enters(0, &kernel);
    for (unsigned i = 0; i < 10; i++) {
        CHECK(emulator_enters(0, &user));
        CHECK_EQUAL(cpu->user, true);
        CHECK(!emulator_enters(0, &user));
        CHECK(emulator_enters(0, &kernel));
        CHECK_EQUAL(cpu->user, false);
    }
    CHECK_EQUAL(pc_instructions(), before + 31);
    emulator_enters(0, &kernel);
    settle_discontinuity(cpu, false, KERNEL + 1);
    CHECK(emulator_enters(0, &kernel));
    CHECK_EQUAL(pc_instructions(), before + 33);
    halt = code_of(KERNEL, HLT);
    before = cpu->pmu.raw[QPMU_WAKEUPS];
    for (unsigned i = 0; i < 3; i++) {
        emulator_enters(0, &kernel);
        emulator_enters(0, &halt);
        CHECK(emulator_enters(0, &kernel));
    }
    CHECK_EQUAL(cpu->pmu.raw[QPMU_WAKEUPS], before + 3);
    counting_ends();
}

/* Of a block of one access the entry is a call, and its marks are expected; made without an entry,
 * they are noticed. */
TEST(qpmu_plugin_executed_alone)
{
    struct vcpu *cpu = counting(QPMU_INSTRUCTIONS);
    struct emulator_inline plain = code_of(KERNEL, NOP);
    uint64_t before;

    emulator.adds = 0;
    pc_translate(KERNEL + 1, STORE);
    CHECK(emulator.entered != NULL);
    CHECK_EQUAL(emulator.adds, 1);
    emulator_enters(0, &plain);
    before = pc_instructions();
    emulator_enters(0, &plain);
    emulator.entered(0, emulator.entered_arg);
    *word_of(cpu) += MARK_LAST;
    CHECK(!emulator_enters(0, &plain));
    *word_of(cpu) += MARK_LAST;
    CHECK(emulator_enters(0, &plain));
    CHECK_EQUAL(pc_instructions(), before + 4);
    counting_ends();
}
