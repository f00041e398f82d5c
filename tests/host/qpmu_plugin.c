/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plugin itself, with a QEMU of two CPUs that consists of nothing but its plugin interface:
 * what happens when CPUs meet, and when translations are forgotten. Counts of real guests are
 * compared in tests/qemu/test_qpmu.py.
 */
#include "tests/host/test.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/plugins/qemu_api.h"
#include "tools/qpmu/plugin/block.h"
#include "tools/qpmu/plugin/level.h"
#include "tools/qpmu/plugin/page.h"
#include "tools/qpmu/plugin/registers.h"
#include "tools/qpmu/plugin/ring.h"
#include "tools/qpmu/plugin/room.h"
#include "tools/qpmu/plugin/vcpu.h"

#define RAM_SIZE (4u << 20)

/* --- the QEMU ----------------------------------------------------------------------------------
 */

struct qemu_plugin_insn {
    uint64_t pc;
    const char *bytes;
    size_t size;
};

struct qemu_plugin_tb {
    size_t count;
    struct qemu_plugin_insn insn[2];
};

static qemu_plugin_simple_cb reset_done; /* a reset was asked for and has not happened yet */
static qemu_plugin_exec_cb entered;      /* of the block translated last */
static void *entered_arg;
static unsigned knocks_heard;       /* accesses that the plugin wants to hear of as knocks */
static unsigned accesses_heard;     /* accesses that it wants to hear of */
static qemu_plugin_mem_cb accessed; /* the one it wants to hear of them by, for the latest */
static void *accessed_arg;

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_tb_cb translated)
{
    (void)id;
    (void)translated;
}

void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_exit_cb ended, void *arg)
{
    (void)id;
    (void)ended;
    (void)arg;
}

void qemu_plugin_register_flush_cb(qemu_plugin_id_t id, qemu_plugin_simple_cb flushed)
{
    (void)id;
    (void)flushed;
}

/* As in QEMU, a reset while another is on its way is ignored. */
void qemu_plugin_reset(qemu_plugin_id_t id, qemu_plugin_simple_cb done)
{
    (void)id;
    if (!reset_done)
        reset_done = done;
}

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block)
{
    return block->count;
}

struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index)
{
    return (struct qemu_plugin_insn *)(uintptr_t)&block->insn[index];
}

const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction)
{
    return instruction->bytes;
}

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction)
{
    return instruction->size;
}

uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction)
{
    return instruction->pc;
}

void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *instruction)
{
    (void)instruction;
    return NULL;
}

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *instruction,
                                            qemu_plugin_exec_cb executed, int flags, void *arg)
{
    (void)instruction;
    (void)executed;
    (void)flags;
    (void)arg;
}

void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *instruction, int operation,
                                                void *word, uint64_t operand)
{
    (void)instruction;
    (void)operation;
    (void)word;
    (void)operand;
}

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block,
                                          qemu_plugin_exec_cb executed, int flags, void *arg)
{
    (void)block;
    (void)flags;
    entered = executed;
    entered_arg = arg;
}

void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *instruction,
                                      qemu_plugin_mem_cb callback, int flags, int which, void *arg)
{
    (void)instruction;
    (void)flags;
    (void)which;
    knocks_heard += callback == knocked;
    accesses_heard++;
    accessed = callback;
    accessed_arg = arg;
}

void qemu_plugin_register_vcpu_mem_inline(struct qemu_plugin_insn *instruction, int which,
                                          int operation, void *word, uint64_t operand)
{
    (void)instruction;
    (void)which;
    (void)operation;
    (void)word;
    (void)operand;
}

bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info)
{
    return info != 0;
}

unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info)
{
    (void)info;
    return 2;
}

struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t address)
{
    (void)info;
    (void)address;
    return NULL;
}

bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *place)
{
    (void)place;
    return false;
}

uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *place)
{
    (void)place;
    return 0;
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
        installed = true;
    }
    blocks_forgotten(1);
    reset_done = NULL;
    knocks_heard = 0;
    level_begin(1, level);
}

/* The reset that was asked for happens. */
static void reset_happens(void)
{
    qemu_plugin_simple_cb done = reset_done;

    CHECK(done != NULL);
    reset_done = NULL;
    blocks_forgotten(1);
    if (done)
        done(1);
}

/* A block of one instruction. */
static void translate(uint64_t pc, const char *bytes, size_t size)
{
    struct qemu_plugin_tb block = {1, {{pc, bytes, size}}};

    block_translated(1, &block);
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
    CHECK(reset_done == NULL);
    CHECK_EQUAL(level_now(), QPMU_LEVEL_ALL);
    CHECK(level_events() >> QPMU_BRANCH_MISSES & 1);
}

#define PERF_GLOBAL_CTRL 0x38f
#define PERFEVTSEL0      0x186
#define LLC_MISSES       0x43412e /* enabled, in all modes */

/* It goes down where the only CPU halts, when nothing has needed it for a while. */
TEST(qpmu_plugin_level_goes_down_where_the_cpu_halts)
{
    struct qpmu_cpu *pmu = &vcpus[0].pmu;

    begin(QPMU_LEVEL_REGISTERS);
    level_ask(QPMU_LEVEL_ALL);
    reset_happens();
    pmu->counted = level_events();
    CHECK_EQUAL(qpmu_cpu_write(pmu, PERF_GLOBAL_CTRL, 1), 0);
    CHECK_EQUAL(qpmu_cpu_write(pmu, PERFEVTSEL0, LLC_MISSES), 0);
    for (unsigned times = 0; times < 1000; times++)
        level_halts(0, NULL);
    CHECK(reset_done == NULL);
    CHECK_EQUAL(qpmu_cpu_write(pmu, PERFEVTSEL0, 0), 0);
    for (unsigned times = 0; times < 63; times++)
        level_halts(0, NULL);
    CHECK(reset_done == NULL);
    level_halts(0, NULL);
    reset_happens();
    CHECK_EQUAL(level_now(), QPMU_LEVEL_REGISTERS);
    for (unsigned times = 0; times < 1000; times++)
        level_halts(0, NULL);
    CHECK(reset_done == NULL);
}

/* QEMU 7.2 goes on calling a return's callback when helpers access memory after it, and calls a
 * freed one after a reset: so there is none before the last reset, and it takes its own access
 * only. */
TEST(qpmu_plugin_return_hears_its_own_access)
{
    struct vcpu *cpu = &vcpus[0];
    qemu_plugin_mem_cb of_return;
    void *its_arg;

    begin(QPMU_LEVEL_BLOCKS);
    accesses_heard = 0;
    translate(0x4000, RET);
    CHECK_EQUAL(accesses_heard, 0);
    begin(QPMU_LEVEL_DATA);
    translate(0x4000, RET);
    CHECK_EQUAL(accesses_heard, 1);
    of_return = accessed;
    its_arg = accessed_arg;
    entered(0, entered_arg);
    CHECK_EQUAL(cpu->marks, 0);
    of_return(0, 0, 0x8000, its_arg);
    of_return(0, 0, 0x9000, its_arg);
    CHECK_EQUAL(cpu->marks, MARK_LAST);
    translate(0x5000, NOP);
    entered(0, entered_arg);
    of_return(0, 0, 0x9000, its_arg);
    CHECK_EQUAL(cpu->marks, 0);
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
        entered(0, entered_arg);
        translate(0x1001, DIV);
        entered(0, entered_arg);
        room_take(cpu);
        before = cpu->pmu.raw[QPMU_INSTRUCTIONS];
        room_give(cpu);
        blocks_forgotten(1);
        translate(0x1004, NOP);
        entered(0, entered_arg);
        room_take(cpu);
        CHECK_EQUAL(cpu->pmu.raw[QPMU_INSTRUCTIONS], before + 1);
        room_give(cpu);
    }
    cpu->always = 0;
    vcpu_choose(cpu);
    cpu->block = &no_block;
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
