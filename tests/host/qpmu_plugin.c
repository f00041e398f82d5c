/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plugin itself, with a QEMU of two CPUs that consists of nothing but its plugin interface:
 * what happens when CPUs meet, and when translations are forgotten. Counts of real guests are
 * compared in tests/qemu/test_qpmu.py.
 */
#include "tests/host/qpmu_emulator.h"
#include "tests/host/qpmu_pc.h"
#include "tests/host/test.h"

#include <pthread.h>
#include <string.h>

#include "tools/qpmu/plugin/block.h"
#include "tools/qpmu/plugin/direct.h"
#include "tools/qpmu/plugin/level.h"
#include "tools/qpmu/plugin/marks.h"
#include "tools/qpmu/plugin/page.h"
#include "tools/qpmu/plugin/registers.h"
#include "tools/qpmu/plugin/ring.h"
#include "tools/qpmu/plugin/room.h"
#include "tools/qpmu/plugin/settle.h"
#include "tools/qpmu/plugin/vcpu.h"
#include "tools/qpmu/plugin/watch.h"
#include "tools/qpmu/plugin/word.h"

/* The plugin's own way to a serial port is not linked here. */
void interrupt_argument(const char *path)
{
    (void)path;
}

bool interrupt_there(void)
{
    return false;
}

void interrupt_raise(void)
{
}

/* Two CPUs ask before the first is answered; and what is translated for models serves all. */
TEST(qpmu_plugin_level_goes_up)
{
    pc_begin(QPMU_LEVEL_REGISTERS);
    level_ask(QPMU_LEVEL_BLOCKS);
    level_ask(QPMU_LEVEL_DATA);
    level_ask(QPMU_LEVEL_BLOCKS);
    CHECK_EQUAL(level_now(), QPMU_LEVEL_REGISTERS);
    pc_reset_happens();
    CHECK_EQUAL(level_now(), QPMU_LEVEL_DATA);
    CHECK(level_events() >> QPMU_L1D_MISSES & 1 && !(level_events() >> QPMU_BRANCH_MISSES & 1));
    level_ask(QPMU_LEVEL_BLOCKS);
    level_ask(QPMU_LEVEL_ALL);
    CHECK(emulator.forget_done == NULL);
    CHECK_EQUAL(level_now(), QPMU_LEVEL_ALL);
    CHECK(level_events() >> QPMU_BRANCH_MISSES & 1);
}

#define PERF_GLOBAL_CTRL 0x38f
#define PERFEVTSEL0      0x186
#define LLC_MISSES       0x43412e /* enabled, in all modes */

static void halt(unsigned times)
{
    while (times-- > 0)
        level_halts(times % 2, NULL);
}

/* As the registers' callback does. */
static void write_register(struct vcpu *cpu, uint32_t number, uint64_t value)
{
    cpu->pmu.counted = level_events();
    CHECK_EQUAL(qpmu_cpu_write(&cpu->pmu, number, value), 0);
    cpu->wanted = qpmu_cpu_wanted(&cpu->pmu);
}

/* It goes down where CPUs halt, when nothing has needed it for a while. */
TEST(qpmu_plugin_level_goes_down_where_cpus_halt)
{

    pc_begin(QPMU_LEVEL_REGISTERS);
    level_ask(QPMU_LEVEL_ALL);
    pc_reset_happens();
    write_register(&vcpus[1], PERF_GLOBAL_CTRL, 1);
    write_register(&vcpus[1], PERFEVTSEL0, LLC_MISSES);
    halt(1000);
    CHECK(emulator.forget_done == NULL);
    write_register(&vcpus[1], PERFEVTSEL0, 0);
    halt(127);
    CHECK(emulator.forget_done == NULL);
    halt(1);
    pc_reset_happens();
    CHECK_EQUAL(level_now(), QPMU_LEVEL_REGISTERS);
    halt(1000);
    CHECK(emulator.forget_done == NULL);
}

/* A counter that begins while the level is on its way down still counts. */
TEST(qpmu_plugin_level_stays_for_a_late_counter)
{
    pc_begin(QPMU_LEVEL_REGISTERS);
    level_ask(QPMU_LEVEL_ALL);
    pc_reset_happens();
    halt(128);
    CHECK(emulator.forget_done != NULL);
    write_register(&vcpus[1], PERF_GLOBAL_CTRL, 1);
    write_register(&vcpus[1], PERFEVTSEL0, LLC_MISSES);
    pc_reset_happens();
    CHECK_EQUAL(level_now(), QPMU_LEVEL_ALL);
    write_register(&vcpus[1], PERFEVTSEL0, 0);
}

#define PERFCTR0   0xc1
#define INTERRUPTS 0x5300c0 /* instructions, enabled, in all modes, with an interrupt */

/* The guest's own instructions: the CPU that comes second waits, too, for what the first has asked
 * for; and what it writes later counts from there on. */
TEST(qpmu_plugin_second_cpu_waits)
{
    const struct step step = {.block = &no_block};

    pc_begin(QPMU_LEVEL_REGISTERS);
    direct_begin(true, 0);
    for (unsigned i = 0; i < 2; i++) {
        CHECK(direct_write(&vcpus[i], PERFCTR0, 0xffffff00));
        CHECK(direct_write(&vcpus[i], PERF_GLOBAL_CTRL, 1));
        CHECK(!direct_write(&vcpus[i], PERFEVTSEL0, INTERRUPTS));
        CHECK(vcpus[i].direct.write_due);
    }
    pc_reset_happens();
    for (unsigned i = 0; i < 2; i++) {
        CHECK(!direct_write_again(&vcpus[i], &step));
        CHECK(!vcpus[i].direct.write_due && *watch_of(&vcpus[i]) & WATCH_WRITE);
        CHECK(!level_steps() && emulator.forget_done);
    }
    pc_reset_happens();
    CHECK(level_steps());
    for (unsigned i = 0; i < 2; i++) {
        CHECK(direct_write_again(&vcpus[i], &step));
        CHECK(!(*watch_of(&vcpus[i]) & WATCH_WRITE));
        CHECK(direct_write(&vcpus[i], PERFEVTSEL0, 0));
    }
    direct_begin(false, 0);
}

/* QEMU 7.2 goes on calling a return's callback when helpers access memory after it, and calls a
 * freed one after translations were forgotten: so there is none before that is done for the last
 * time, and none with several CPUs. */
TEST(qpmu_plugin_return_hears_its_own_access)
{
    pc_begin(QPMU_LEVEL_BLOCKS);
    emulator.accesses_heard = emulator.adds = 0;
    pc_translate(0x4000, RET);
    CHECK_EQUAL(emulator.accesses_heard + emulator.adds, 0);
    pc_begin(QPMU_LEVEL_DATA);
    pc_translate(0x4000, RET);
    CHECK_EQUAL(emulator.accesses_heard + emulator.adds, 0);
    emu.cpus = 1;
    pc_translate(0x4000, RET);
    CHECK_EQUAL(emulator.accesses_heard, 1);
    CHECK(!level_can_call()); /* nor a return's address */
    emu.cpus = 2;
    emu.forgets = true; /* they can be disabled */
    CHECK(level_can_call());
    pc_translate(0x4000, RET);
    CHECK_EQUAL(emulator.accesses_heard, 2);
    CHECK_EQUAL(emulator.adds, 0);
    emu.access_ends = true;
    pc_translate(0x4000, RET);
    CHECK_EQUAL(emulator.accesses_heard, 3);
    CHECK_EQUAL(emulator.adds, 1);
    emu.access_ends = emu.forgets = false;
}

/* With one CPU, it takes its own access only. */
TEST(qpmu_plugin_return_takes_its_own_access)
{
    struct vcpu *cpu = &vcpus[0];
    emu_access_call *of_return;
    void *its_arg;

    pc_begin(QPMU_LEVEL_DATA);
    emu.cpus = 1;
    pc_translate(0x4000, RET);
    emu.cpus = 2;
    of_return = emulator.accessed;
    its_arg = emulator.accessed_arg;
    emulator.entered(0, emulator.entered_arg);
    CHECK_EQUAL(word_marks(cpu), 0);
    of_return(0, 0, 0x8000, its_arg);
    of_return(0, 0, 0x9000, its_arg);
    CHECK_EQUAL(word_marks(cpu), MARK_LAST);
    pc_translate(0x5000, NOP);
    emulator.entered(0, emulator.entered_arg);
    of_return(0, 0, 0x9000, its_arg);
    CHECK_EQUAL(word_marks(cpu), 0);
    word_leave(cpu, &no_block);
}

/* The last block ends in an instruction of which only the next block tells whether it faulted, and
 * all blocks are forgotten before that one begins. */
TEST(qpmu_plugin_last_block_is_forgotten)
{
    struct vcpu *cpu = &vcpus[0];
    uint64_t before;

    pc_begin(QPMU_LEVEL_BLOCKS);
    pc_counts(QPMU_INSTRUCTIONS);
    for (unsigned twice = 0; twice < 2; twice++) {
        pc_translate(0x1000, NOP);
        emulator.entered(0, emulator.entered_arg);
        pc_translate(0x1001, DIV);
        emulator.entered(0, emulator.entered_arg);
        room_take(cpu);
        before = cpu->pmu.raw[QPMU_INSTRUCTIONS];
        room_give(cpu);
        blocks_forgotten();
        pc_translate(0x1004, NOP);
        emulator.entered(0, emulator.entered_arg);
        room_take(cpu);
        CHECK_EQUAL(cpu->pmu.raw[QPMU_INSTRUCTIONS], before + 1);
        room_give(cpu);
    }
    pc_counts_no_more();
}

/* A block of three: two of BYTES, and a jump by DISTANCE from behind itself. */
static void translate_loop(uint64_t pc, const char *bytes, size_t size, char distance)
{
    char jump[] = {'\xeb', distance};
    struct qemu_plugin_tb block = {
        3, {{pc, bytes, size}, {pc + size, bytes, size}, {pc + 2 * size, jump, 2}}};

    block_translated(&block);
}

/* The instructions that were counted while control went from the block to PC, or to a discontinuity
 * there. */
static uint64_t counted_until(uint64_t marks, uint64_t pc, int discontinuity)
{
    struct vcpu *cpu = &vcpus[0];
    uint64_t before;

    emulator.entered(0, emulator.entered_arg);
    room_take(cpu);
    before = cpu->pmu.raw[QPMU_INSTRUCTIONS];
    room_give(cpu);
    *word_of(cpu) += marks * MARK_PASSED;
    if (discontinuity >= 0)
        emulator.listener.discontinuity(0, discontinuity, pc, 0x9000);
    pc_translate(discontinuity >= 0 ? 0x9000 : pc, NOP);
    emulator.entered(0, emulator.entered_arg);
    room_take(cpu);
    before = cpu->pmu.raw[QPMU_INSTRUCTIONS] - before;
    room_give(cpu);
    word_leave(cpu, &no_block);
    return before;
}

enum { NONE = -1, INTERRUPT, EXCEPTION };

/* Where QEMU tells of discontinuities, where control goes says how far a block of 14 bytes came. */
TEST(qpmu_plugin_progress_by_place)
{
    struct {
        char jump;
        uint64_t marks, pc;
        int how;
        uint64_t counted;
    } cases[] = {
        {0x10, 0, 0x101e, NONE, 3},      {0x10, 0, 0x101e, INTERRUPT, 3},
        {0x10, 0, 0x1000, EXCEPTION, 0}, {0x10, 0, 0x1006, EXCEPTION, 1},
        {0x10, 0, 0x1006, NONE, 1},      {0x10, 0, 0x100c, INTERRUPT, 2},
        {0x10, 0, 0x2000, EXCEPTION, 3}, /* the fetch behind it */
        {-14, 1, 0x1000, NONE, 3},       {-14, 0, 0x1006, NONE, 1},
        {-14, 1, 0x1000, INTERRUPT, 3},  {-14, 0, 0x1000, INTERRUPT, 0},
        {-14, 0, 0x1006, EXCEPTION, 1},  {-8, 1, 0x1006, NONE, 3},
        {-8, 1, 0x1006, INTERRUPT, 3},   {-8, 0, 0x1006, INTERRUPT, 1},
        {-8, 0, 0x100c, NONE, 2},        {-8, 1, 0x3000, INTERRUPT, 3},
        {-8, 1024, 0x1006, NONE, 1}, /* a MARK_LAST, of what was executed alone */
    };

    emu.discontinuity = true;
    marks_begin(false);
    pc_begin(QPMU_LEVEL_BLOCKS);
    pc_counts(QPMU_INSTRUCTIONS);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        emulator.adds = 0;
        translate_loop(0x1000, STORE, cases[i].jump);
        CHECK_EQUAL(emulator.adds, cases[i].jump < 0);
        CHECK_EQUAL(counted_until(cases[i].marks, cases[i].pc, cases[i].how), cases[i].counted);
    }
    /* What accesses no memory needs no mark. */
    emulator.adds = 0;
    translate_loop(0x1000, NOP, -4);
    CHECK_EQUAL(emulator.adds, 0);
    CHECK_EQUAL(counted_until(0, 0x1000, NONE), 3);
    translate_loop(0x1000, NOP, -4);
    CHECK_EQUAL(counted_until(0, 0x1000, INTERRUPT), 3);
    pc_counts_no_more();
    emu.discontinuity = false;
    marks_begin(true);
}

/* Each hypercall's no-op ends its block, and the store is the next one. */
TEST(qpmu_plugin_hypercalls_in_two_blocks)
{
    pc_begin(QPMU_LEVEL_REGISTERS);
    for (unsigned again = 0; again < 20; again++)
        pc_translate(0x2000, HYPERCALL);
    for (uint64_t pc = 0x3000; pc < 0x3000 + 0x100 * 20; pc += 0x100) {
        unsigned before = pc_hypercalls;

        pc_translate(pc, HYPERCALL);
        pc_translate(pc + 7, STORE);
        CHECK_EQUAL(pc_hypercalls, before + 1);
        pc_translate(pc + 7, STORE);
        CHECK_EQUAL(pc_hypercalls, before + 2);
    }
}

/* QEMU 7.2 shows a store that crosses a page behind the no-op of the page before, but executes it
 * in a block of its own. */
TEST(qpmu_plugin_hypercall_across_pages)
{
    struct qemu_plugin_tb block = {2, {{0x4ff7, HYPERCALL}, {0x4ffe, STORE}}};

    pc_begin(QPMU_LEVEL_REGISTERS);
    block_translated(&block);
    CHECK_EQUAL(pc_hypercalls, 1);
    pc_translate(0x4ffe, STORE);
    CHECK_EQUAL(pc_hypercalls, 2);
}

/* QEMU 7.2 may go on reporting accesses of others as the store's, once it was the last of its block
 * (level.c): an interrupt's frame is no slot. */
TEST(qpmu_plugin_hypercall_is_one_store)
{
    emu_access_call *made;
    emu_call *announced;

    pc_begin(QPMU_LEVEL_REGISTERS);
    pc_translate(0x4ff7, HYPERCALL);
    announced = emulator.executed;
    pc_translate(0x4ffe, STORE);
    made = emulator.accessed;
    emulator.places_asked = 0;
    made(0, 1, 0x5e58, NULL);
    CHECK_EQUAL(emulator.places_asked, 0);
    announced(0, NULL);
    made(1, 1, 0x5e58, NULL);
    CHECK_EQUAL(emulator.places_asked, 0);
    made(0, 1, 0x6000, NULL);
    made(0, 1, 0x5e58, NULL);
    CHECK_EQUAL(emulator.places_asked, 1);
}

static pthread_barrier_t together;

static void *hypercall(void *place)
{
    pthread_barrier_wait(&together);
    if (!page_open() || !page_place(PC_RAM_SIZE - 1, place) || page_place(PC_RAM_SIZE, place))
        *(uint64_t *)place = 0;
    return NULL;
}

TEST(qpmu_plugin_hypercalls_at_once_thread)
{
    pthread_t threads[4];
    uint64_t places[4];

    pc_begin(QPMU_LEVEL_REGISTERS);
    pthread_barrier_init(&together, NULL, 4);
    for (unsigned i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, hypercall, &places[i]);
    for (unsigned i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&together);
    for (unsigned i = 0; i < 4; i++)
        CHECK_EQUAL(places[i], PC_RAM_SIZE);
}
