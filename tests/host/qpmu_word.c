/* SPDX-License-Identifier: BSD-2-Clause */
/* What the plugin qpmu looks at where a block begins: tools/qpmu/plugin/word.h. */
#include "tests/host/qpmu_emulator.h"
#include "tests/host/qpmu_pc.h"
#include "tests/host/test.h"
#include "tools/qpmu/plugin/marks.h"
#include "tools/qpmu/plugin/room.h"
#include "tools/qpmu/plugin/word.h"

/* Counts instructions, whoever asks for what. */
static struct vcpu *counting(void)
{
    pc_begin(QPMU_LEVEL_BLOCKS);
    return pc_counts(QPMU_INSTRUCTIONS);
}

/* A block is charged when it begins; who looks in the middle of it finds it not counted yet, and
 * when the next one begins it is counted once. */
TEST(qpmu_plugin_running_block)
{
    struct vcpu *cpu = counting();
    uint64_t before;

    pc_translate(0x1000, NOP);
    emulator.entered(0, emulator.entered_arg);
    before = pc_instructions();
    for (unsigned entries = 0; entries < 10; entries++)
        emulator.entered(0, emulator.entered_arg);
    CHECK(cpu->armed);
    CHECK_EQUAL(pc_instructions(), before + 10);
    CHECK(!cpu->armed);
    CHECK_EQUAL(pc_instructions(), before + 10);
    emulator.entered(0, emulator.entered_arg);
    CHECK(cpu->armed);
    CHECK_EQUAL(pc_instructions(), before + 11);
    pc_counts_no_more();
}

/* The room is used up to its last instruction, wherever the limit lies, and the limit is seen. */
TEST(qpmu_plugin_room_ends)
{
    struct vcpu *cpu = counting();
    uint64_t before;

    pc_translate(0x1000, NOP);
    emulator.entered(0, emulator.entered_arg);
    before = pc_instructions();
    for (uint64_t entries = 1; entries <= 3 * ROOM_MOST; entries++)
        emulator.entered(0, emulator.entered_arg);
    CHECK_EQUAL(pc_instructions(), before + 3 * ROOM_MOST);
    for (unsigned room = 0; room < 5; room++) {
        before = pc_instructions();
        cpu->pmu.limit[QPMU_INSTRUCTIONS] = before + room + 1;
        room_give(cpu);
        emulator.entered(0, emulator.entered_arg);
        for (unsigned entries = 0; entries < room; entries++)
            emulator.entered(0, emulator.entered_arg);
        CHECK_EQUAL(cpu->pmu.limit[QPMU_INSTRUCTIONS], ~0ull); /* qpmu_cpu_overflow() was here */
        CHECK_EQUAL(pc_instructions(), before + room + 1);
    }
    pc_counts_no_more();
}

/* The sign of the cycles' room is seen in blocks, too, whose end needs a closer look anyway. */
TEST(qpmu_plugin_room_of_cycles)
{
    struct vcpu *cpu = counting();

    cpu->always = 1ull << QPMU_CYCLES;
    vcpu_choose(cpu);
    pc_translate(0x1000, HLT);
    emulator.entered(0, emulator.entered_arg);
    for (unsigned room = 0; room < 5; room++) {
        room_take(cpu);
        cpu->pmu.limit[QPMU_CYCLES] = cpu->pmu.raw[QPMU_CYCLES] + room + 1;
        room_give(cpu);
        for (unsigned entries = 0; entries < room + 3; entries++)
            emulator.entered(0, emulator.entered_arg);
        CHECK_EQUAL(cpu->pmu.limit[QPMU_CYCLES], ~0ull); /* qpmu_cpu_overflow() was here */
    }
    cpu->always = 1ull << QPMU_INSTRUCTIONS;
    pc_counts_no_more();
}

/* Each mode has a word of its own, which is good only while the CPU is in it. */
TEST(qpmu_plugin_two_modes)
{
    struct vcpu *cpu = counting();
    struct {
        emu_call *entered;
        void *block;
    } mode[2];
    uint64_t before;

    for (unsigned user = 0; user < 2; user++) {
        pc_translate(user ? 0x1000 : 0xffffffff80001000, NOP);
        mode[user].entered = emulator.entered;
        mode[user].block = emulator.entered_arg;
    }
    mode[0].entered(0, mode[0].block);
    before = pc_instructions();
    for (unsigned i = 1; i <= 40; i++) {
        bool user = i / 4 % 2;

        mode[user].entered(0, mode[user].block);
        CHECK_EQUAL(cpu->user, user);
        CHECK(cpu->armed);
        CHECK_EQUAL(cpu->words[!user] >> 63, 1);
    }
    CHECK_EQUAL(pc_instructions(), before + 40);
    pc_counts_no_more();
}

/* Two entries of the block translated last: the CPU is in it, and knows of nothing else. */
static void enter_plainly(struct vcpu *cpu)
{
    emulator.entered(0, emulator.entered_arg);
    emulator.entered(0, emulator.entered_arg);
    CHECK(cpu->armed && !cpu->attention);
}

/* Who wants the next entry to look closer takes the block back; and it is counted all the same. */
TEST(qpmu_plugin_closer_look)
{
    struct vcpu *cpu = counting();
    uint64_t before;

    pc_translate(0x1000, NOP);
    enter_plainly(cpu);
    before = pc_instructions();
    enter_plainly(cpu);
    word_closer(cpu);
    CHECK(!cpu->armed);
    CHECK_EQUAL(*word_of(cpu) >> 63, 1);
    enter_plainly(cpu);
    CHECK_EQUAL(pc_instructions(), before + 4);
    pc_counts_no_more();
}

/* So does the end of a block that is more than its sums; and events beside the two have no part in
 * the word. */
TEST(qpmu_plugin_more_than_sums)
{
    struct vcpu *cpu = counting();
    uint64_t before;

    pc_translate(0x1000, NOP);
    enter_plainly(cpu);
    before = cpu->pmu.raw[QPMU_WAKEUPS];
    for (unsigned halts = 1; halts <= 3; halts++) {
        pc_translate(0x1001, HLT);
        emulator.entered(0, emulator.entered_arg);
        CHECK(cpu->armed);
        pc_translate(0x1002, NOP);
        enter_plainly(cpu);
        CHECK_EQUAL(cpu->pmu.raw[QPMU_WAKEUPS], before + halts);
    }
    cpu->always |= 1ull << QPMU_STORES;
    vcpu_choose(cpu);
    pc_translate(0x1000, STORE);
    emulator.entered(0, emulator.entered_arg);
    before = cpu->pmu.raw[QPMU_STORES];
    for (unsigned entries = 1; entries <= 6; entries++) {
        CHECK(!cpu->armed);
        pc_translate(0x1000 + 6 * entries, STORE);
        emulator.entered(0, emulator.entered_arg);
    }
    CHECK_EQUAL(cpu->pmu.raw[QPMU_STORES], before + 6);
    cpu->always = 1ull << QPMU_INSTRUCTIONS;
    cpu->used[QPMU_STORES] = 0; /* not recently, for the other tests */
    pc_counts_no_more();
}

/* A mark that is missing, or one too many, does not go into the room beside it. */
TEST(qpmu_plugin_marks_and_room)
{
    struct vcpu *cpu = counting();
    uint64_t before;

    emu.access_ends = true;
    pc_translate(0x1000, STORE); /* its access is a MARK_LAST */
    emulator.entered(0, emulator.entered_arg);
    for (unsigned marks = 0; marks < 4; marks++) {
        emulator.entered(0, emulator.entered_arg);
        before = pc_instructions();
        *word_of(cpu) += MARK_LAST;
        emulator.entered(0, emulator.entered_arg);
        CHECK(cpu->armed);
        *word_of(cpu) += marks * MARK_LAST;
        CHECK_EQUAL(word_marks(cpu), marks * MARK_LAST);
        pc_translate(0x9000, STORE);
        emulator.entered(0, emulator.entered_arg);
        CHECK_EQUAL(pc_instructions(), before + 1 + (marks > 0));
        *word_of(cpu) += MARK_LAST;
        pc_translate(0x1000, STORE);
    }
    pc_counts_no_more();
    emu.access_ends = false;
}

/* Where QEMU tells of exceptions, a block that ends in what may raise one needs no closer look. */
TEST(qpmu_plugin_told_of_exceptions)
{
    struct vcpu *cpu;
    uint64_t before;

    emu.discontinuity = true;
    marks_begin(false);
    cpu = counting();
    pc_translate(0x1000, DIV);
    emulator.entered(0, emulator.entered_arg);
    CHECK_EQUAL(block_now(cpu)->ends, 0);
    before = pc_instructions();
    pc_translate(0x1003, NOP);
    emulator.entered(0, emulator.entered_arg);
    CHECK_EQUAL(pc_instructions(), before + 1);
    pc_counts_no_more();
    emu.discontinuity = false;
    marks_begin(true);
}
