/* SPDX-License-Identifier: BSD-2-Clause */
/* What a CPU has counted that stops for good: settle_last of tools/qpmu/plugin/settle.c. */
#include "tests/host/qpmu_emulator.h"
#include "tests/host/qpmu_pc.h"
#include "tests/host/test.h"
#include "tools/qpmu/plugin/block.h"
#include "tools/qpmu/plugin/settle.h"
#include "tools/qpmu/plugin/word.h"

#define PC    0xffffffff80100000ull
#define BEQZL "\x07\x00\x00\x52", 4 /* beqzl $16 */
#define ADD   "\x21\x10\x43\x00", 4 /* addu $2, $2, $3 */
#define LOAD  "\x10\x00\xb1\xdf", 4 /* ld $17, 16($29) */

/* The instructions of a Malta's block of BRANCH and SLOT, which was entered and made MARKS. */
static uint64_t counted(const struct qemu_plugin_insn *branch, const struct qemu_plugin_insn *slot,
                        uint64_t marks)
{
    struct qemu_plugin_tb translation = {2, {*branch, *slot}};
    struct vcpu *cpu = &vcpus[0];
    uint64_t before;

    block_translated(&translation);
    emulator.entered(0, emulator.entered_arg);
    before = pc_instructions();
    *word_of(cpu) += marks;
    settle_last(cpu);
    return pc_instructions() - before;
}

/* The slot of a branch likely that was not taken did not graduate. */
TEST(qpmu_plugin_stops_behind_a_likely_branch)
{
    const struct qemu_plugin_insn branch = {PC, BEQZL}, load = {PC + 4, LOAD}, add = {PC + 4, ADD};

    mips = true;
    pc_begin(QPMU_LEVEL_BLOCKS);
    pc_counts(QPMU_INSTRUCTIONS);
    CHECK_EQUAL(counted(&branch, &load, 0), 1);
    CHECK_EQUAL(counted(&branch, &load, MARK_LAST), 2);
    CHECK_EQUAL(counted(&branch, &add, 0), 1);
    pc_counts_no_more();
    mips = false;
}
