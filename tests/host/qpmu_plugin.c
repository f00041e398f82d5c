/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plugin itself, with a QEMU of two CPUs that consists of nothing but its plugin interface:
 * what happens when CPUs meet, and when translations are forgotten. Counts of real guests are
 * compared in tests/qemu/test_qpmu.py.
 */
#include "tests/host/qpmu_emulator.h"
#include "tests/host/test.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/qpmu/plugin/block.h"
#include "tools/qpmu/plugin/level.h"
#include "tools/qpmu/plugin/marks.h"
#include "tools/qpmu/plugin/page.h"
#include "tools/qpmu/plugin/registers.h"
#include "tools/qpmu/plugin/ring.h"
#include "tools/qpmu/plugin/room.h"
#include "tools/qpmu/plugin/settle.h"
#include "tools/qpmu/plugin/vcpu.h"

#define RAM_SIZE (4u << 20)

static unsigned knocks_heard; /* accesses that the plugin wants to hear of as knocks */

static void hears(emu_access_call *call)
{
    knocks_heard += call == knocked;
}

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

/* --- a PC of two CPUs --------------------------------------------------------------------------
 */

static void begin(enum qpmu_level level)
{
    static const qemu_info_t pc = {.target_name = "x86_64", .system = {2, 2}};
    static bool installed;

    if (!installed) {
        int file = memfd_create("memory-backend-memfd", 0);

        CHECK(file >= 0 && ftruncate(file, RAM_SIZE) == 0);
        CHECK(mmap(NULL, RAM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) != MAP_FAILED);
        close(file);
        CHECK_EQUAL((uint64_t)qemu_plugin_install(1, &pc, 0, NULL), 0);
        for (unsigned cpu = 0; cpu < 2; cpu++)
            emulator.listener.cpu_begins(cpu);
        installed = true;
    }
    blocks_forgotten();
    emulator.forget_done = NULL;
    knocks_heard = 0;
    emulator.hears = hears;
    level_begin(level);
}

/* The reset that was asked for happens. */
static void reset_happens(void)
{
    void (*done)(void) = emulator.forget_done;

    CHECK(done != NULL);
    emulator.forget_done = NULL;
    blocks_forgotten();
    if (done)
        done();
}

/* A block of one instruction. */
static void translate(uint64_t pc, const char *bytes, size_t size)
{
    struct qemu_plugin_tb block = {1, {{pc, bytes, size}}};

    block_translated(&block);
}

#define NOP   "\x90", 1
#define RET   "\xc3", 1
#define DIV   "\x48\xf7\xf1", 3                 /* div %rcx */
#define KNOCK "\x0f\x1f\x80\x50\x51\x00\x00", 7 /* nopl 0x5150(%rax) */
#define STORE "\xc7\x00\x00\x00\x00\x00", 6     /* movl $0, (%rax) */

/* Two CPUs ask before the first is answered; and what is translated for models serves all. */
TEST(qpmu_plugin_level_goes_up)
{
    begin(QPMU_LEVEL_REGISTERS);
    level_ask(QPMU_LEVEL_BLOCKS);
    level_ask(QPMU_LEVEL_DATA);
    level_ask(QPMU_LEVEL_BLOCKS);
    CHECK_EQUAL(level_now(), QPMU_LEVEL_REGISTERS);
    reset_happens();
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

    begin(QPMU_LEVEL_REGISTERS);
    level_ask(QPMU_LEVEL_ALL);
    reset_happens();
    write_register(&vcpus[1], PERF_GLOBAL_CTRL, 1);
    write_register(&vcpus[1], PERFEVTSEL0, LLC_MISSES);
    halt(1000);
    CHECK(emulator.forget_done == NULL);
    write_register(&vcpus[1], PERFEVTSEL0, 0);
    halt(127);
    CHECK(emulator.forget_done == NULL);
    halt(1);
    reset_happens();
    CHECK_EQUAL(level_now(), QPMU_LEVEL_REGISTERS);
    halt(1000);
    CHECK(emulator.forget_done == NULL);
}

/* A counter that begins while the level is on its way down still counts. */
TEST(qpmu_plugin_level_stays_for_a_late_counter)
{
    begin(QPMU_LEVEL_REGISTERS);
    level_ask(QPMU_LEVEL_ALL);
    reset_happens();
    halt(128);
    CHECK(emulator.forget_done != NULL);
    write_register(&vcpus[1], PERF_GLOBAL_CTRL, 1);
    write_register(&vcpus[1], PERFEVTSEL0, LLC_MISSES);
    reset_happens();
    CHECK_EQUAL(level_now(), QPMU_LEVEL_ALL);
    write_register(&vcpus[1], PERFEVTSEL0, 0);
}

/* QEMU 7.2 goes on calling a return's callback when helpers access memory after it, and calls a
 * freed one after translations were forgotten: so there is none before that is done for the last
 * time, and none with several CPUs. */
TEST(qpmu_plugin_return_hears_its_own_access)
{
    begin(QPMU_LEVEL_BLOCKS);
    emulator.accesses_heard = emulator.adds = 0;
    translate(0x4000, RET);
    CHECK_EQUAL(emulator.accesses_heard + emulator.adds, 0);
    begin(QPMU_LEVEL_DATA);
    translate(0x4000, RET);
    CHECK_EQUAL(emulator.accesses_heard + emulator.adds, 0);
    emu.cpus = 1;
    translate(0x4000, RET);
    CHECK_EQUAL(emulator.accesses_heard, 1);
    emu.cpus = 2;
    emu.forgets = true; /* they can be disabled */
    translate(0x4000, RET);
    CHECK_EQUAL(emulator.accesses_heard, 2);
    CHECK_EQUAL(emulator.adds, 0);
    emu.access_ends = true;
    translate(0x4000, RET);
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

    begin(QPMU_LEVEL_DATA);
    emu.cpus = 1;
    translate(0x4000, RET);
    emu.cpus = 2;
    of_return = emulator.accessed;
    its_arg = emulator.accessed_arg;
    emulator.entered(0, emulator.entered_arg);
    CHECK_EQUAL(*cpu->marks, 0);
    of_return(0, 0, 0x8000, its_arg);
    of_return(0, 0, 0x9000, its_arg);
    CHECK_EQUAL(*cpu->marks, MARK_LAST);
    translate(0x5000, NOP);
    emulator.entered(0, emulator.entered_arg);
    of_return(0, 0, 0x9000, its_arg);
    CHECK_EQUAL(*cpu->marks, 0);
    cpu->block = &no_block;
}

/* The last block ends in an instruction of which only the next block tells whether it faulted, and
 * all blocks are forgotten before that one begins. */
TEST(qpmu_plugin_last_block_is_forgotten)
{
    struct vcpu *cpu = &vcpus[0];
    uint64_t before;

    begin(QPMU_LEVEL_BLOCKS);
    cpu->always = 1ull << QPMU_INSTRUCTIONS;
    vcpu_choose(cpu);
    for (unsigned twice = 0; twice < 2; twice++) {
        translate(0x1000, NOP);
        emulator.entered(0, emulator.entered_arg);
        translate(0x1001, DIV);
        emulator.entered(0, emulator.entered_arg);
        room_take(cpu);
        before = cpu->pmu.raw[QPMU_INSTRUCTIONS];
        room_give(cpu);
        blocks_forgotten();
        translate(0x1004, NOP);
        emulator.entered(0, emulator.entered_arg);
        room_take(cpu);
        CHECK_EQUAL(cpu->pmu.raw[QPMU_INSTRUCTIONS], before + 1);
        room_give(cpu);
    }
    cpu->always = 0;
    vcpu_choose(cpu);
    cpu->block = &no_block;
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
    emulator.words[0] = marks;
    if (discontinuity >= 0)
        emulator.listener.discontinuity(0, discontinuity, pc, 0x9000);
    translate(discontinuity >= 0 ? 0x9000 : pc, NOP);
    emulator.entered(0, emulator.entered_arg);
    room_take(cpu);
    before = cpu->pmu.raw[QPMU_INSTRUCTIONS] - before;
    room_give(cpu);
    cpu->block = &no_block;
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
    };
    struct vcpu *cpu = &vcpus[0];

    emu.discontinuity = true;
    marks_begin(false);
    begin(QPMU_LEVEL_BLOCKS);
    cpu->always = 1ull << QPMU_INSTRUCTIONS;
    vcpu_choose(cpu);
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
    cpu->always = 0;
    vcpu_choose(cpu);
    emu.discontinuity = false;
    marks_begin(true);
}

/* Each knock's no-op ends its block, and the store is the next one. */
TEST(qpmu_plugin_knocks_in_two_blocks)
{
    begin(QPMU_LEVEL_REGISTERS);
    for (unsigned again = 0; again < 20; again++)
        translate(0x2000, KNOCK);
    for (uint64_t pc = 0x3000; pc < 0x3000 + 0x100 * 20; pc += 0x100) {
        unsigned before = knocks_heard;

        translate(pc, KNOCK);
        translate(pc + 7, STORE);
        CHECK_EQUAL(knocks_heard, before + 1);
        translate(pc + 7, STORE);
        CHECK_EQUAL(knocks_heard, before + 2);
    }
}

static pthread_barrier_t together;

static void *knock(void *place)
{
    pthread_barrier_wait(&together);
    if (!page_open() || !page_place(RAM_SIZE - 1, place) || page_place(RAM_SIZE, place))
        *(uint64_t *)place = 0;
    return NULL;
}

TEST(qpmu_plugin_knocks_at_once_thread)
{
    pthread_t threads[4];
    uint64_t places[4];

    begin(QPMU_LEVEL_REGISTERS);
    pthread_barrier_init(&together, NULL, 4);
    for (unsigned i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, knock, &places[i]);
    for (unsigned i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&together);
    for (unsigned i = 0; i < 4; i++)
        CHECK_EQUAL(places[i], RAM_SIZE);
}
