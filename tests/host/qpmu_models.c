/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What blocks bring to the models: the lines that are fetched, branches whose outcome only the
 * return from an interrupt tells, and pages that come to lie elsewhere. Misses are worked out by
 * hand: nothing is in a cache before it has been touched, and all that is touched here has room.
 */
#include "tests/host/qpmu_emulator.h"
#include "tests/host/qpmu_pc.h"
#include "tests/host/test.h"
#include "tools/qpmu/plugin/block.h"
#include "tools/qpmu/plugin/calls.h"
#include "tools/qpmu/plugin/memory.h"
#include "tools/qpmu/plugin/page.h"

#define KERNEL 0xffffffff80001000ull
#define LONG   "\x0f\x1f\x80\x00\x00\x00\x00", 7 /* nopl 0(%rax) */
#define BRANCH "\x74\x20", 2                     /* je, 32 bytes on */
#define IRET   "\x48\xcf", 2

static struct vcpu *modelling(void)
{
    pc_begin(QPMU_LEVEL_REGISTERS);
    level_ask(QPMU_LEVEL_ALL);
    pc_reset_happens();
    return pc_counts(QPMU_INSTRUCTIONS);
}

struct entry {
    emu_call *call;
    void *block;
};

static struct entry latest(void)
{
    return (struct entry){emulator.entered, emulator.entered_arg};
}

static struct entry one(uint64_t pc, const char *bytes, size_t size)
{
    pc_translate(pc, bytes, size);
    return latest();
}

static void enter(const struct entry *entry)
{
    entry->call(0, entry->block);
}

TEST(qpmu_plugin_fetched_lines)
{
    const struct {
        uint64_t offset; /* of two instructions of seven bytes each, in a line of 64 */
        unsigned lines;
    } cases[] = {{0, 1}, {50, 1}, {51, 2}, {57, 2}, {58, 2}, {63, 2}};
    struct vcpu *cpu = modelling();
    uint64_t place = 0x10000, before = cpu->pmu.raw[QPMU_L1I_MISSES];
    struct entry entry;

    CHECK(page_open());
    emulator.text = (char *)page_slot(0);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++, place += 0x80) {
        uint64_t first = place + cases[i].offset, pc = 0xffffffff80000000 + first;
        struct qemu_plugin_tb translation = {2, {{pc, LONG}, {pc + 7, LONG}}};
        const struct block *block;

        block_translated(&translation);
        entry = latest();
        block = entry.block;
        CHECK_EQUAL(block->line_count, cases[i].lines);
        CHECK_EQUAL(block->lines[0].pc, pc);
        CHECK_EQUAL(block->lines[0].place, first);
        CHECK_EQUAL(block->lines[cases[i].lines - 1].place / 64, (first + 13) / 64);
        for (unsigned again = 0; again < 3; again++)
            enter(&entry);
        before += cases[i].lines;
        CHECK_EQUAL(cpu->pmu.raw[QPMU_L1I_MISSES], before);
    }
    emulator.text = NULL;
    entry = one(KERNEL, LONG); /* a device's memory */
    CHECK_EQUAL(((const struct block *)entry.block)->line_count, 0);
    enter(&entry);
    CHECK_EQUAL(cpu->pmu.raw[QPMU_L1I_MISSES], before);
    pc_counts_no_more();
}

#define MANY (UNDECIDED + 3)

/* An interrupt that comes behind a branch leaves it undecided, and the return from it decides: of
 * a branch that was always taken, and was taken again, nothing is mispredicted. Of so many that
 * have not been returned to the youngest are known. */
TEST(qpmu_plugin_undecided_branches)
{
    struct vcpu *cpu = modelling();
    struct entry branch[MANY], target[MANY], handler = one(KERNEL + 0x8000, NOP), back;
    uint64_t before;

    back = one(KERNEL + 0x8001, IRET);
    for (unsigned i = 0; i < MANY; i++) {
        branch[i] = one(KERNEL + 0x100 * i, BRANCH);
        target[i] = one(KERNEL + 0x100 * i + 34, NOP);
        for (unsigned times = 0; times < 40; times++) {
            enter(&branch[i]);
            enter(&target[i]);
        }
    }
    before = cpu->pmu.raw[QPMU_BRANCH_MISSES];
    for (unsigned i = 0; i < MANY; i++) {
        enter(&branch[i]);
        enter(&handler);
        CHECK_EQUAL(cpu->undecided_count, i < UNDECIDED ? i + 1 : UNDECIDED);
    }
    CHECK_EQUAL(cpu->pmu.raw[QPMU_BRANCH_MISSES], before);
    for (unsigned i = MANY; i-- > 0;) {
        enter(&back);
        enter(&target[i]);
        CHECK_EQUAL(cpu->undecided_count, i > MANY - UNDECIDED ? i - (MANY - UNDECIDED) : 0);
    }
    CHECK_EQUAL(cpu->pmu.raw[QPMU_BRANCH_MISSES], before);
    /* One is not taken for once. */
    enter(&branch[0]);
    enter(&handler);
    enter(&back);
    back = one(KERNEL + 2, NOP);
    enter(&back);
    CHECK_EQUAL(cpu->pmu.raw[QPMU_BRANCH_MISSES], before + 1);
    CHECK_EQUAL(cpu->undecided_count, 0);
    pc_counts_no_more();
}

#define PAGE_AT 0x7000u /* where the guest sees the page that moves */

static void load(uint64_t address, uint64_t physical)
{
    static struct step step = {.block = &no_block};

    emulator.physical = physical;
    memory_accessed(0, 0, address, &step);
}

/* The page is PHYSICAL now: an access to it is a miss, and then the page is in the cache wherever
 * else it is seen. */
static void is_at(struct vcpu *cpu, uint64_t physical)
{
    uint64_t before = cpu->pmu.raw[QPMU_L1D_MISSES], line = physical / 64 % 64 * 64;

    load(PAGE_AT + line, physical);
    CHECK_EQUAL(cpu->pmu.raw[QPMU_L1D_MISSES], before + 1);
    load(PAGE_AT + 0x4000 + physical * 16 + line, physical);
    CHECK_EQUAL(cpu->pmu.raw[QPMU_L1D_MISSES], before + 1);
    load(PAGE_AT + line, 0x3ff000); /* it is not asked for again */
    CHECK_EQUAL(cpu->pmu.raw[QPMU_L1D_MISSES], before + 1);
}

TEST(qpmu_plugin_remapped_pages)
{
    struct vcpu *cpu = modelling();
    uint64_t place;

    CHECK(page_open());
    emulator.in_ram = true;
    is_at(cpu, 0x10000);
    memory_remapped(0, NULL);
    is_at(cpu, 0x20000);
    memory_cold(); /* below there nobody follows what is mapped */
    is_at(cpu, 0x30000);
    calls_forget(); /* nor where no calls were followed */
    emulator.physical = 0x40000;
    CHECK(memory_place(cpu, 0, PAGE_AT + 8, &place));
    CHECK_EQUAL(place, 0x40008);
    emulator.in_ram = false;
    pc_counts_no_more();
}
