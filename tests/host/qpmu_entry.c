/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks that are entered by translated code: tools/qpmu/plugin/entry.c. */
#include "tests/host/qpmu_emulator.h"
#include "tests/host/qpmu_pc.h"
#include "tests/host/test.h"
#include "tools/qpmu/plugin/marks.h"
#include "tools/qpmu/plugin/room.h"
#include "tools/qpmu/plugin/settle.h"
#include "tools/qpmu/plugin/word.h"

#define USER   0x1000ull
#define KERNEL 0xffffffff80001000ull

static uint64_t instructions_of(struct vcpu *cpu)
{
    uint64_t counted;

    room_take(cpu);
    counted = cpu->pmu.raw[QPMU_INSTRUCTIONS];
    room_give(cpu);
    return counted;
}

/* Counts EVENT, whoever asks for what; progress is known by place. */
static struct vcpu *counting(enum qpmu_event event)
{
    struct vcpu *cpu = &vcpus[0];

    emulator.inlines = emu.discontinuity = true;
    marks_begin(false);
    pc_begin(QPMU_LEVEL_BLOCKS);
    cpu->always = 1ull << event;
    vcpu_choose(cpu);
    return cpu;
}

static void counting_ends(struct vcpu *cpu)
{
    cpu->always = 0;
    vcpu_choose(cpu);
    word_leave(cpu, &no_block);
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
    before = instructions_of(cpu);
    CHECK(emulator_enters(0, &other));
    for (unsigned i = 1; i <= 1000; i++) {
        const struct emulator_inline *next = i % 3 ? &one : &other;

        CHECK(!emulator_enters(0, next));
        CHECK(block_now(cpu) == next->arg);
        CHECK_EQUAL(word_marks(cpu), 0);
    }
    CHECK_EQUAL(instructions_of(cpu), before + 1001);
    CHECK_EQUAL(instructions_of(cpu), before + 1001);
    CHECK(emulator_enters(0, &one));
    CHECK(!emulator_enters(0, &one));
    CHECK_EQUAL(instructions_of(cpu), before + 1003);
    counting_ends(cpu);
}

/* A limit is seen in the entry behind the block in which it lies: neither earlier nor later. */
static void reaches_limit(enum qpmu_event event)
{
    struct vcpu *cpu = counting(event);
    struct emulator_inline one = code_of(KERNEL, NOP);

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
    counting_ends(cpu);
}

TEST(qpmu_plugin_inline_limits)
{
    reaches_limit(QPMU_INSTRUCTIONS);
    reaches_limit(QPMU_CYCLES);
}

/* Cycles use up the room before instructions do, whose own limit is then still far. */
TEST(qpmu_plugin_inline_room_is_renewed)
{
    struct vcpu *cpu = counting(QPMU_INSTRUCTIONS);
    struct emulator_inline slow = code_of(KERNEL, DIV);
    unsigned cycles = ((const struct block *)slow.arg)->steps[0].insn.cycles, calls = 0;
    uint64_t before;

    CHECK(cycles > 1);
    emulator_enters(0, &slow);
    before = instructions_of(cpu);
    emulator_enters(0, &slow);
    for (unsigned i = 1; i <= ROOM_MOST; i++)
        calls += emulator_enters(0, &slow);
    CHECK_EQUAL(instructions_of(cpu), before + ROOM_MOST + 1);
    CHECK_EQUAL(calls, cycles);
    counting_ends(cpu);
}

/* A block of another mode is always looked at, and so is what an exception has interrupted. */
TEST(qpmu_plugin_inline_looks)
{
    struct vcpu *cpu = counting(QPMU_INSTRUCTIONS);
    struct emulator_inline kernel = code_of(KERNEL, NOP), user = code_of(USER, NOP), halt;
    uint64_t before;

    emulator_enters(0, &kernel);
    before = instructions_of(cpu);
    emulator_enters(0, &kernel);
    for (unsigned i = 0; i < 10; i++) {
        CHECK(emulator_enters(0, &user));
        CHECK_EQUAL(cpu->user, true);
        CHECK(!emulator_enters(0, &user));
        CHECK(emulator_enters(0, &kernel));
        CHECK_EQUAL(cpu->user, false);
    }
    CHECK_EQUAL(instructions_of(cpu), before + 31);
    emulator_enters(0, &kernel);
    settle_discontinuity(cpu, false, KERNEL + 1);
    CHECK(emulator_enters(0, &kernel));
    CHECK_EQUAL(instructions_of(cpu), before + 33);
    halt = code_of(KERNEL, HLT);
    before = cpu->pmu.raw[QPMU_WAKEUPS];
    for (unsigned i = 0; i < 3; i++) {
        emulator_enters(0, &kernel);
        emulator_enters(0, &halt);
        CHECK(emulator_enters(0, &kernel));
    }
    CHECK_EQUAL(cpu->pmu.raw[QPMU_WAKEUPS], before + 3);
    counting_ends(cpu);
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
    before = instructions_of(cpu);
    emulator_enters(0, &plain);
    emulator.entered(0, emulator.entered_arg);
    *word_of(cpu) += MARK_LAST;
    CHECK(!emulator_enters(0, &plain));
    *word_of(cpu) += MARK_LAST;
    CHECK(emulator_enters(0, &plain));
    CHECK_EQUAL(instructions_of(cpu), before + 4);
    counting_ends(cpu);
}
