/* SPDX-License-Identifier: BSD-2-Clause */
/* Callers where QEMU tells of interrupts: tools/qpmu/plugin/calls.c. */
#include "tests/host/qpmu_emulator.h"
#include "tests/host/qpmu_pc.h"
#include "tests/host/test.h"
#include "tools/qpmu/plugin/block.h"
#include "tools/qpmu/plugin/calls.h"
#include "tools/qpmu/plugin/mode.h"
#include "tools/qpmu/plugin/page.h"
#include "tools/qpmu/plugin/vcpu.h"
#include "tools/qpmu/plugin/word.h"

#define USER   0x1000ull
#define KERNEL 0xffffffff80001000ull
#define IRET   "\x48\xcf", 2

static void enter(uint64_t pc, const char *bytes, size_t size)
{
    pc_translate(pc, bytes, size);
    emulator.entered(0, emulator.entered_arg);
}

/* An interrupt of a user is one frame, as long as it is served, however often one comes. */
TEST(qpmu_plugin_interrupt_is_one_frame)
{
    struct vcpu *cpu = &vcpus[0];
    uint64_t callers[8];
    bool whole, cut;

    emu.forgets = emu.discontinuity = true;
    pc_begin(QPMU_LEVEL_BLOCKS);
    CHECK(page_open());
    cpu->ring.slot = page_slot(0x9000);
    cpu->ring.slot->flags = QPMU_HIGHER_HALF;
    mode_known(cpu);
    cpu->ring.slot = NULL;
    cpu->ring.callers = 8;
    level_ask_calls();
    pc_reset_happens();
    CHECK(level_calls());
    enter(USER, NOP);
    for (unsigned times = 0; times < 3; times++) {
        enter(USER, NOP);
        CHECK_EQUAL(calls_chain(cpu, callers, 8, &whole, &cut), 0);
        emulator.listener.discontinuity(0, 0, USER + 1, KERNEL);
        enter(KERNEL, NOP);
        CHECK_EQUAL(cpu->calls.where.depth, 1);
        enter(KERNEL + 1, IRET);
        CHECK_EQUAL(cpu->calls.where.depth, 1);
        enter(USER + 1, NOP);
        CHECK_EQUAL(cpu->calls.where.depth, 0);
    }
    cpu->ring.callers = 0;
    word_leave(cpu, &no_block);
    emu.forgets = emu.discontinuity = false;
}
